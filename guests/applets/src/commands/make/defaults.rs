//! What make knows without a makefile. There is no compiler here; the rules are what other makefiles build on.

use super::files::{Dep, PatternRule, Recipe};
use super::variables::{Origin, Variable};
use super::words::{split_pattern, words};
use super::{Bytes, Make};
use std::rc::Rc;

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
    ("CHECKOUT,v", "+$(if $(wildcard $@),,$(CO) $(COFLAGS) $< $@)"),
    ("CO", "co"),
    ("COFLAGS", ""),
    ("COMPILE.def", "$(M2C) $(M2FLAGS) $(DEFFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.mod", "$(M2C) $(M2FLAGS) $(MODFLAGS) $(TARGET_ARCH)"),
    ("CTANGLE", "ctangle"),
    ("CWEAVE", "cweave"),
    ("GET", "get"),
    ("M2C", "m2c"),
    ("TANGLE", "tangle"),
    ("WEAVE", "weave"),
];

/// Suffix rules: name, recipe.
const SUFFIX_RULES: &[(&str, &str)] = &[
    (".o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".c.ln", "$(LINT.c) -C$* $<"),
    (".c.o", "$(COMPILE.c) $(OUTPUT_OPTION) $<"),
    (".cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".cc.o", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"),
    (".C", "$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".C.o", "$(COMPILE.C) $(OUTPUT_OPTION) $<"),
    (".cpp", "$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".cpp.o", "$(COMPILE.cpp) $(OUTPUT_OPTION) $<"),
    (".p", "$(LINK.p) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".p.o", "$(COMPILE.p) $(OUTPUT_OPTION) $<"),
    (".f", "$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".f.o", "$(COMPILE.f) $(OUTPUT_OPTION) $<"),
    (".F", "$(LINK.F) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".F.o", "$(COMPILE.F) $(OUTPUT_OPTION) $<"),
    (".F.f", "$(PREPROCESS.F) $(OUTPUT_OPTION) $<"),
    (".m", "$(LINK.m) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".m.o", "$(COMPILE.m) $(OUTPUT_OPTION) $<"),
    (".r", "$(LINK.r) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".r.o", "$(COMPILE.r) $(OUTPUT_OPTION) $<"),
    (".r.f", "$(PREPROCESS.r) $(OUTPUT_OPTION) $<"),
    (".y.ln", "$(YACC.y) $< \n $(LINT.c) -C$* y.tab.c \n $(RM) y.tab.c"),
    (".y.c", "$(YACC.y) $< \n mv -f y.tab.c $@"),
    (".l.ln", "@$(RM) $*.c\n $(LEX.l) $< > $*.c\n$(LINT.c) -i $*.c -o $@\n $(RM) $*.c"),
    (".l.c", "@$(RM) $@ \n $(LEX.l) $< > $@"),
    (".l.r", "$(LEX.l) $< > $@ \n mv -f lex.yy.r $@"),
    (".ym.m", "$(YACC.m) $< \n mv -f y.tab.c $@"),
    (".s", "$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".s.o", "$(COMPILE.s) -o $@ $<"),
    (".S", "$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".S.o", "$(COMPILE.S) -o $@ $<"),
    (".S.s", "$(PREPROCESS.S) $< > $@"),
    (".mod", "$(COMPILE.mod) -o $@ -e $@ $^"),
    (".mod.o", "$(COMPILE.mod) -o $@ $<"),
    (".def.sym", "$(COMPILE.def) -o $@ $<"),
    (".tex.dvi", "$(TEX) $<"),
    (".texinfo.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".texinfo.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".texi.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".texi.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".txinfo.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".txinfo.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".w.c", "$(CTANGLE) $< - $@"),
    (".w.tex", "$(CWEAVE) $< - $@"),
    (".web.p", "$(TANGLE) $<"),
    (".web.tex", "$(WEAVE) $<"),
    (".sh", "cat $< >$@ \n chmod a+x $@"),
    (".lm.m", "@$(RM) $@ \n $(LEX.m) $< > $@"),
];

/// Pattern rules: target, prerequisites, recipe, whether it is terminal.
const PATTERN_RULES: &[(&str, &str, &str, bool)] = &[
    ("%.out", "%", "@rm -f $@ \n cp $< $@", false),
    ("%.c", "%.w %.ch", "$(CTANGLE) $^ $@", false),
    ("%.tex", "%.w %.ch", "$(CWEAVE) $^ $@", false),
    ("%", "%,v", "$(CHECKOUT,v)", true),
    ("%", "RCS/%,v", "$(CHECKOUT,v)", true),
    ("%", "RCS/%", "$(CHECKOUT,v)", true),
    ("%", "s.%", "$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<", true),
    ("%", "SCCS/s.%", "$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<", true),
];

/// What a makefile may ask of this make, in GNU's words.
const FEATURES: &str = "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment \
                        grouped-target jobserver output-sync check-symlink";

impl Make {
    /// Before the makefiles are read.
    pub fn install_defaults(&mut self) {
        let suffixes = if self.flags.no_rules { "" } else { SUFFIXES };
        let id = self.file(b".SUFFIXES");
        self.files[id].builtin = true;
        self.files[id].deps =
            suffixes.split(' ').filter(|s| !s.is_empty()).map(|s| Dep::new(s.as_bytes(), false)).collect();
        if !self.flags.no_variables {
            for (name, value) in VARIABLES {
                self.default_variable(name, value.as_bytes());
            }
        }
        self.default_variable("MAKE", b"$(MAKE_COMMAND)");
        self.default_variable(".LIBPATTERNS", b"lib%.so lib%.a");
        let command = self.command.clone();
        for (name, value) in [
            ("SUFFIXES", suffixes.as_bytes()),
            ("MAKE_COMMAND", &command),
            (".SHELLFLAGS", b"-c"),
            (".FEATURES", FEATURES.as_bytes()),
            ("MAKE_VERSION", b"4.3"),
            ("MAKE_HOST", b"wasm32-capsule"),
            ("MAKEFILES", b""),
            (".VARIABLES", b""),
            (".RECIPEPREFIX", b""),
            (".LOADED", b""),
        ] {
            self.set_global(name.as_bytes(), Variable::new(value, false, Origin::Default));
        }
        self.set_global(b"SHELL", Variable::new(b"/bin/sh", false, Origin::File));
        if let Some(shell) = self.globals.get_mut(b"SHELL".as_slice()) {
            shell.origin = Origin::Default;
        }
    }

    /// After the makefiles: their own rules come first, and they may have said in MAKEFLAGS that they want no others.
    pub fn install_default_rules(&mut self) {
        if self.flags.no_variables {
            for (name, _) in VARIABLES {
                if self.globals.get(name.as_bytes()).is_some_and(|v| v.origin == Origin::Default) {
                    self.globals.remove(name.as_bytes());
                }
            }
        }
        if self.flags.no_rules {
            let id = self.file(b".SUFFIXES");
            if self.files[id].builtin {
                self.files[id].deps.clear();
            }
            self.set_global(b"SUFFIXES", Variable::new(b"", false, Origin::Default));
        } else {
            for (name, recipe) in SUFFIX_RULES {
                let id = self.file(name.as_bytes());
                let file = &mut self.files[id];
                if file.recipe.is_none() {
                    (file.recipe, file.builtin) = (Some(builtin_recipe(recipe)), true);
                }
            }
        }
        self.convert_suffix_rules();
        if !self.flags.no_rules {
            for (target, deps, recipe, terminal) in PATTERN_RULES {
                self.builtin_rule(target, deps, recipe, *terminal);
            }
        }
    }

    fn builtin_rule(&mut self, target: &str, deps: &str, recipe: &str, terminal: bool) {
        let Ok(pattern) = split_pattern(target.as_bytes()) else { return };
        let deps = words(deps.as_bytes()).map(|d| Dep::new(d, false)).collect();
        let recipe = Some(builtin_recipe(recipe));
        self.add_pattern_rule(PatternRule { targets: vec![pattern], deps, recipe, terminal }, false);
    }
}

fn builtin_recipe(text: &str) -> Rc<Recipe> {
    let lines: Vec<Bytes> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    let numbers = vec![0; lines.len()];
    Rc::new(Recipe { lines, file: Vec::new(), numbers })
}
