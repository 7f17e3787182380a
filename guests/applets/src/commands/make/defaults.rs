//! What make knows without a makefile. There is no compiler here; the rules are what other makefiles build on.

use super::Make;
use super::files::Dep;
use super::variables::{Origin, Variable};

const SUFFIXES: &str = ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi \
                        .tex .texinfo .texi .txinfo .w .ch .web .sh .elc .el";

const VARIABLES: &[(&str, &str)] = &[
    ("AR", "ar"),
    ("ARFLAGS", "rv"),
    ("AS", "as"),
    ("CC", "cc"),
    ("CXX", "g++"),
    ("CPP", "$(CC) -E"),
    ("F77", "$(FC)"),
    ("F77FLAGS", "$(FFLAGS)"),
    ("FC", "f77"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("OBJC", "cc"),
    ("PC", "pc"),
    ("YACC", "yacc"),
    ("LINT", "lint"),
    ("MAKEINFO", "makeinfo"),
    ("TEX", "tex"),
    ("TEXI2DVI", "texi2dvi"),
    ("RM", "rm -f"),
    ("OUTPUT_OPTION", "-o $@"),
    ("COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.C", "$(COMPILE.cc)"),
    ("COMPILE.cpp", "$(COMPILE.cc)"),
    ("COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"),
    ("COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"),
    ("LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.C", "$(LINK.cc)"),
    ("LINK.cpp", "$(LINK.cc)"),
    ("COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.r", "$(FC) $(FFLAGS) $(RFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("PREPROCESS.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F"),
    ("PREPROCESS.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -F"),
    ("PREPROCESS.S", "$(CC) -E $(CPPFLAGS)"),
    ("LINT.c", "$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)"),
    ("LEX.l", "$(LEX) $(LFLAGS) -t"),
    ("LEX.m", "$(LEX) $(LFLAGS) -t"),
    ("YACC.m", "$(YACC) $(YFLAGS)"),
    ("YACC.y", "$(YACC) $(YFLAGS)"),
];

/// Target, prerequisite, recipe.
const RULES: &[(&str, &str, &str)] = &[
    ("%", "%.o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%", "%.c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.c", "$(COMPILE.c) $(OUTPUT_OPTION) $<"),
    ("%", "%.cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.cc", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"),
    ("%", "%.C", "$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.C", "$(COMPILE.C) $(OUTPUT_OPTION) $<"),
    ("%", "%.cpp", "$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.cpp", "$(COMPILE.cpp) $(OUTPUT_OPTION) $<"),
    ("%", "%.p", "$(LINK.p) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.p", "$(COMPILE.p) $(OUTPUT_OPTION) $<"),
    ("%", "%.f", "$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.f", "$(COMPILE.f) $(OUTPUT_OPTION) $<"),
    ("%", "%.F", "$(LINK.F) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.F", "$(COMPILE.F) $(OUTPUT_OPTION) $<"),
    ("%.f", "%.F", "$(PREPROCESS.F) $(OUTPUT_OPTION) $<"),
    ("%", "%.m", "$(LINK.m) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.m", "$(COMPILE.m) $(OUTPUT_OPTION) $<"),
    ("%", "%.r", "$(LINK.r) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.r", "$(COMPILE.r) $(OUTPUT_OPTION) $<"),
    ("%.f", "%.r", "$(PREPROCESS.r) $(OUTPUT_OPTION) $<"),
    ("%.c", "%.y", "$(YACC.y) $< \n mv -f y.tab.c $@"),
    ("%.c", "%.l", "@$(RM) $@ \n $(LEX.l) $< > $@"),
    ("%.r", "%.l", "$(LEX.l) $< > $@ \n mv -f lex.yy.r $@"),
    ("%.m", "%.ym", "$(YACC.m) $< \n mv -f y.tab.c $@"),
    ("%", "%.s", "$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.s", "$(COMPILE.s) -o $@ $<"),
    ("%", "%.S", "$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    ("%.o", "%.S", "$(COMPILE.S) -o $@ $<"),
    ("%.s", "%.S", "$(PREPROCESS.S) $< > $@"),
    ("%.dvi", "%.tex", "$(TEX) $<"),
    ("%.info", "%.texinfo", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    ("%.dvi", "%.texinfo", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    ("%.info", "%.texi", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    ("%.dvi", "%.texi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    ("%", "%.sh", "cat $< >$@ \n chmod a+x $@"),
];

impl Make {
    /// Before the makefiles are read.
    pub fn install_defaults(&mut self) {
        let suffixes = if self.flags.no_rules { "" } else { SUFFIXES };
        let id = self.file(b".SUFFIXES");
        self.files[id].is_target = true;
        self.files[id].deps =
            suffixes.split(' ').filter(|s| !s.is_empty()).map(|s| Dep::new(s.as_bytes(), false)).collect();
        self.default_variable("SUFFIXES", suffixes.as_bytes());
        if !self.flags.no_variables {
            for (name, value) in VARIABLES {
                self.default_variable(name, value.as_bytes());
            }
        }
        for (name, value) in [
            (".SHELLFLAGS", "-c"),
            (".LIBPATTERNS", "lib%.so lib%.a"),
            (
                ".FEATURES",
                "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target",
            ),
            ("MAKE_VERSION", "4.3"),
            ("MAKE_HOST", "wasm32-capsule"),
            ("MAKE", "$(MAKE_COMMAND)"),
        ] {
            self.default_variable(name, value.as_bytes());
        }
        let name = self.command.clone();
        self.set_global(b"MAKE_COMMAND", Variable::new(&name, false, Origin::Default));
        self.set_global(b"SHELL", Variable::new(b"/bin/sh", false, Origin::File));
        if let Some(shell) = self.globals.get_mut(b"SHELL".as_slice()) {
            shell.origin = Origin::Default;
        }
    }

    /// After the makefiles: their own rules come first.
    pub fn install_default_rules(&mut self) {
        if self.flags.no_rules {
            return;
        }
        for (target, dep, recipe) in RULES {
            self.builtin_rule(target, dep, recipe);
        }
    }
}
