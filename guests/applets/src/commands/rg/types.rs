//! File types by name: `-t rust` is `-g '*.rs'`.

use crate::ignore::Verdict;
use crate::ignore::glob::{Glob, braces};
use crate::input::base_name;

/// The types that are known from the start.
const KNOWN: &[(&str, &str)] = &[
    ("ada", "*.adb *.ads"),
    ("asciidoc", "*.adoc *.asc *.asciidoc"),
    ("asm", "*.S *.asm *.s"),
    ("awk", "*.awk"),
    ("bat", "*.bat"),
    ("bazel", "*.BUILD *.bazel *.bazelrc *.bzl BUILD MODULE.bazel WORKSPACE WORKSPACE.bazel"),
    ("c", "*.H *.[chH] *.[chH].in *.cats"),
    ("clojure", "*.clj *.cljc *.cljs *.cljx"),
    ("cmake", "*.cmake CMakeLists.txt"),
    ("coffeescript", "*.coffee"),
    ("config", "*.cfg *.conf *.config *.ini"),
    ("cpp", "*.C *.H *.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl"),
    ("crystal", "*.cr *.ecr Projectfile shard.yml"),
    ("cs", "*.cs"),
    ("csharp", "*.cs"),
    ("css", "*.css *.scss"),
    ("csv", "*.csv"),
    ("cython", "*.pxd *.pxi *.pyx"),
    ("d", "*.d"),
    ("dart", "*.dart"),
    ("diff", "*.diff *.patch"),
    ("docker", "*Dockerfile*"),
    ("dockercompose", "docker-compose.*.yml docker-compose.yml"),
    ("elisp", "*.el"),
    ("elixir", "*.eex *.ex *.exs *.heex *.leex *.livemd"),
    ("elm", "*.elm"),
    ("erlang", "*.erl *.hrl"),
    ("fish", "*.fish"),
    ("fortran", "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo"),
    ("fsharp", "*.fs *.fsi *.fsx"),
    ("go", "*.go"),
    ("gradle", "*.gradle *.gradle.kts gradle.properties gradle-wrapper.* gradlew gradlew.bat"),
    ("graphql", "*.graphql *.graphqls"),
    ("groovy", "*.gradle *.groovy"),
    ("h", "*.h *.hh *.hpp"),
    ("haskell", "*.c2hs *.cpphs *.hs *.hsc *.lhs"),
    ("hs", "*.hs *.lhs"),
    ("html", "*.ejs *.htm *.html"),
    ("java", "*.java *.jsp *.jspx *.properties"),
    ("jinja", "*.j2 *.jinja *.jinja2"),
    ("jl", "*.jl"),
    ("js", "*.cjs *.js *.jsx *.mjs *.vue"),
    ("json", "*.json *.sarif composer.lock"),
    ("jsonl", "*.jsonl"),
    ("julia", "*.jl"),
    ("jupyter", "*.ipynb *.jpynb"),
    ("kotlin", "*.kt *.kts"),
    ("less", "*.less"),
    (
        "license",
        "*[.-]LICEN[CS]E* COPYING COPYING[.-]* COPYRIGHT COPYRIGHT[.-]* LICEN[CS]E LICEN[CS]E[.-]* NOTICE NOTICE[.-]* PATENTS PATENTS[.-]* UNLICEN[CS]E UNLICEN[CS]E[.-]*",
    ),
    ("lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm"),
    ("lock", "*.lock package-lock.json"),
    ("log", "*.log"),
    ("lua", "*.lua"),
    ("m4", "*.ac *.m4"),
    (
        "make",
        "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile [Mm]akefile.am [Mm]akefile.in",
    ),
    ("man", "*.[0-9][cEFMmpSx] *.[0-9lnpx]"),
    ("markdown", "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn"),
    ("matlab", "*.m"),
    ("md", "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn"),
    ("meson", "meson.build meson_options.txt"),
    ("mk", "mkfile"),
    ("ml", "*.ml"),
    ("msbuild", "*.csproj *.fsproj *.proj *.props *.sln *.targets *.vcxproj"),
    ("nim", "*.nim *.nimble *.nimf *.nims"),
    ("nix", "*.nix"),
    ("objc", "*.h *.m"),
    ("objcpp", "*.h *.mm"),
    ("ocaml", "*.ml *.mli *.mll *.mly"),
    ("org", "*.org *.org_archive"),
    ("pascal", "*.dpr *.inc *.lpr *.pas *.pp"),
    ("pdf", "*.pdf"),
    ("perl", "*.PL *.perl *.pl *.plh *.plx *.pm *.t"),
    ("php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"),
    ("po", "*.po"),
    ("protobuf", "*.proto"),
    ("ps", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1"),
    ("puppet", "*.epp *.erb *.pp *.rb"),
    ("purs", "*.purs"),
    ("py", "*.py *.pyi"),
    ("python", "*.py *.pyi"),
    ("qmake", "*.prf *.pri *.pro"),
    ("qml", "*.qml"),
    ("r", "*.R *.Rmd *.Rnw *.r"),
    ("racket", "*.rkt"),
    ("readme", "*README README*"),
    ("rst", "*.rst"),
    ("ruby", "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru"),
    ("rust", "*.rs"),
    ("sass", "*.sass *.scss"),
    ("scala", "*.sbt *.scala"),
    (
        "sh",
        "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc",
    ),
    ("sml", "*.sig *.sml"),
    ("solidity", "*.sol"),
    ("spec", "*.spec"),
    ("sql", "*.psql *.sql"),
    ("sv", "*.h *.sv *.svh *.v *.vg"),
    ("svelte", "*.svelte"),
    ("svg", "*.svg"),
    ("swift", "*.swift"),
    (
        "systemd",
        "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket *.swap *.target *.timer",
    ),
    ("tcl", "*.tcl"),
    ("tex", "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex"),
    ("tf", "*.auto.tfvars *.tf *.tf.json *.tfvars *.tfvars.json terraform.rc terraform.tfvars"),
    ("thrift", "*.thrift"),
    ("toml", "*.toml Cargo.lock"),
    ("ts", "*.cts *.mts *.ts *.tsx"),
    ("twig", "*.twig"),
    ("txt", "*.txt"),
    ("typescript", "*.cts *.mts *.ts *.tsx"),
    ("vala", "*.vala"),
    ("vb", "*.vb"),
    ("verilog", "*.sv *.svh *.v *.vh"),
    ("vhdl", "*.vhd *.vhdl"),
    ("vim", "*.vim .gvimrc .vimrc _gvimrc _vimrc gvimrc vimrc"),
    ("vue", "*.vue"),
    ("wasm", "*.wasm *.wat"),
    ("wgsl", "*.wgsl"),
    ("xml", "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt"),
    ("yacc", "*.y"),
    ("yaml", "*.yaml *.yml"),
    ("zig", "*.zig"),
    ("zsh", "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc"),
];

pub struct Types {
    /// Added on the command line.
    added: Vec<(String, String)>,
    cleared: Vec<String>,
    wanted: Vec<Glob>,
    unwanted: Vec<Glob>,
}

impl Types {
    pub fn new() -> Types {
        Types { added: Vec::new(), cleared: Vec::new(), wanted: Vec::new(), unwanted: Vec::new() }
    }

    /// `name:glob`, or `name:include:other,another`; false when it is neither.
    pub fn add(&mut self, text: &str) -> bool {
        let Some((name, glob)) = text.split_once(':') else { return false };
        let plain = !name.is_empty() && name != "all" && name.chars().all(char::is_alphanumeric);
        if !plain || glob.is_empty() {
            return false;
        }
        match glob.strip_prefix("include:") {
            None => self.added.push((name.to_owned(), glob.to_owned())),
            Some(names) => {
                for other in names.split(',') {
                    let globs = self.globs(other);
                    if globs.is_empty() {
                        return false;
                    }
                    self.added.extend(globs.into_iter().map(|glob| (name.to_owned(), glob)));
                }
            }
        }
        true
    }

    pub fn clear(&mut self, name: &str) {
        self.added.retain(|added| added.0 != name);
        self.cleared.push(name.to_owned());
    }

    fn known(&self) -> impl Iterator<Item = &(&str, &str)> {
        KNOWN.iter().filter(|known| !self.cleared.iter().any(|name| name == known.0))
    }

    fn globs(&self, name: &str) -> Vec<String> {
        let known = self.known().filter(|known| known.0 == name).flat_map(|known| known.1.split(' '));
        let added = self.added.iter().filter(|added| added.0 == name).map(|added| added.1.as_str());
        known.chain(added).map(str::to_owned).collect()
    }

    /// Wants files of a type, or none of it; false when there is no such type.
    pub fn choose(&mut self, name: &str, wanted: bool) -> bool {
        let globs: Vec<String> = match name {
            "all" => {
                let known = self.known().flat_map(|known| known.1.split(' ')).map(str::to_owned);
                known.chain(self.added.iter().map(|added| added.1.clone())).collect()
            }
            name => self.globs(name),
        };
        let list = if wanted { &mut self.wanted } else { &mut self.unwanted };
        for glob in &globs {
            let all = braces(glob.as_bytes()).unwrap_or_else(|| vec![glob.clone().into_bytes()]);
            list.extend(all.iter().map(|glob| Glob::new(glob, false)));
        }
        !globs.is_empty()
    }

    pub fn verdict(&self, path: &[u8]) -> Verdict {
        let name = base_name(path);
        let fits = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(name));
        if fits(&self.unwanted) {
            Verdict::Ignore
        } else if fits(&self.wanted) {
            Verdict::Keep
        } else if self.wanted.is_empty() {
            Verdict::None
        } else {
            Verdict::Ignore
        }
    }

    /// Every type with its globs, a line each.
    pub fn list(&self) -> String {
        let mut names: Vec<&str> =
            self.known().map(|known| known.0).chain(self.added.iter().map(|added| added.0.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().map(|name| format!("{name}: {}\n", self.globs(name).join(", "))).collect()
    }
}
