//! YAML, JSON and TOML through jq's language, with the options of Mike Farah's yq.

mod documents;
mod options;
mod program;
mod rewrite;
mod tables;
mod toml;
mod xml;
mod yaml;

use crate::commands::jq::world::World;
use crate::{Args, Exit, Outcome};
use capsule_jq::json::{Indent, Layout};
use capsule_jq::{Machine, Program, Stop, Value, json};
use capsule_sys::{OpenFlags, Out, STDERR, chmod, open, rename, stat, unlink, write_all};
use documents::{Documents, Input};
use options::{Format, Settings};

pub const HELP: &str = "\
Usage: yq [eval|eval-all] [OPTION]... [EXPRESSION] [FILE]...
Read, change and convert YAML, JSON, TOML, XML, CSV, TSV and properties.
With no FILE, or when FILE is -, read standard input. EXPRESSION is '.' when only FILEs are given.

Commands:
  eval, e                    apply EXPRESSION to each document (the default)
  eval-all, ea               apply it to all documents of all FILEs together

  -i, --inplace              write the result back to FILE
  -n, --null-input           read nothing: build a document from null
  -o, --output-format FMT    yaml (y), json (j), toml, xml (x), csv (c), tsv (t), props (p) or shell (s);
                             otherwise that of the input
  -p, --input-format FMT     the same for the input; otherwise by the name of FILE, else yaml
  -P, --prettyPrint          forget styles: plain block YAML
  -I, --indent N             indent by N blanks (2); 0 with JSON is one line
  -r, --unwrapScalar         print strings without quotes; on for YAML, --unwrapScalar=false turns it off
  -N, --no-doc               no --- between documents
  -e, --exit-status          status 1 when there is no result, or the last is null or false
  -0, --nul-output           separate results by NUL
  -s, --split-exp EXPR       write each result to the file EXPR names; $index is its number
      --split-exp-file FILE  read that expression from FILE
      --expression EXPR      the expression
      --from-file FILE       read the expression from FILE
  -j, --tojson               the same as -o json
  -y, -Y, --yaml-output      the same as -o yaml
  -c                         the same as -o json -I 0
  -M, --no-colors            no colours (there are none)
  -h, --help                 print this help
  -V, --version              print the version

EXPRESSION is in jq's language, with these additions: keys with hyphens (.runs-on), env(NAME), strenv(NAME), envsubst,
load(FILE), load_str(FILE), load_xml(FILE), load_props(FILE), load_base64(FILE), to_FORMAT, from_FORMAT and @FORMAT,
@FORMATd for yaml, json, xml, csv, tsv and props, upcase, downcase, to_number, to_string, tag (type), kind, filter(COND),
pivot, array_to_map, sub(REGEX, TEXT), sort_keys(PATH), with(PATH; UPDATE), omit([KEY]), pick([KEY]), explode(.), split_doc,
fileIndex (fi), documentIndex (di), filename, format_datetime, from_unix, to_unix, ... comments=\"\", and
... as $x ireduce (INIT; UPDATE). * merges; *+ appends lists, *d merges them item by item, *n sets only what is new, *? only
what is there. == and != take * and ? in a text as wildcards. Behind a pipe: key, and where the path starts at the document,
path, parent and parent(N). keys have the order of the document. Comments, quotes, anchors and aliases are kept where a
value is still at its place. Not supported: other operators on comments, styles, tags, anchors and lines; eval; shuffle.
";

pub fn main(args: &Args) -> Outcome {
    let settings = options::parse(args)?;
    if settings.in_place {
        return in_place(&settings);
    }
    let mut out = Out::stdout();
    let status = if settings.all {
        let inputs = documents::read_all(&settings.files, &settings).map_err(fail)?;
        Run::new(&settings, inputs)?.all_together(&mut |text| out.write(text))
    } else {
        one_by_one(&settings, &mut out)
    };
    match status {
        Ok(status) => crate::report::finish(&mut out, status),
        Err(exit) => {
            let _ = out.flush();
            Err(exit)
        }
    }
}

/// File by file: nothing is held longer than it is needed.
fn one_by_one(settings: &Settings, out: &mut Out) -> Outcome {
    let nothing: &[Vec<u8>] = &[Vec::new()];
    let files = if settings.null_input { nothing } else { &settings.files };
    let (mut status, mut program, mut separate) = (0, None, false);
    for (number, file) in files.iter().enumerate() {
        let read = if settings.null_input {
            vec![Input::null()]
        } else {
            documents::read(file, number, settings).map_err(fail)?
        };
        let mut run = Run::with(settings, read, program.take(), separate)?;
        status = run.each(&mut |text| out.write(text))?;
        separate = run.separate;
        program = Some(run.program);
    }
    Ok(status)
}

fn tell(message: impl std::fmt::Display) {
    let _ = write_all(STDERR, format!("Error: {message}\n").as_bytes());
}

fn fail(message: impl std::fmt::Display) -> Exit {
    tell(message);
    Exit(1)
}

/// Each file is replaced as a whole, when all went well.
fn in_place(settings: &Settings) -> Outcome {
    if settings.files.iter().any(|file| file == b"-") || settings.files.is_empty() {
        return Err(fail("write in place flag only applicable when giving an expression and at least one file"));
    }
    if settings.all {
        let inputs = documents::read_all(&settings.files, settings).map_err(fail)?;
        let mut text = Vec::new();
        let status = Run::new(settings, inputs)?.all_together(&mut |part| text.extend_from_slice(part))?;
        replace(&settings.files[0], &text)?;
        return Ok(status);
    }
    let mut status = 0;
    for (number, file) in settings.files.iter().enumerate() {
        let read = documents::read(file, number, settings).map_err(fail)?;
        let mut text = Vec::new();
        status = Run::new(settings, read)?.each(&mut |part| text.extend_from_slice(part))?;
        replace(file, &text)?;
    }
    Ok(status)
}

fn replace(file: &[u8], text: &[u8]) -> Result<(), Exit> {
    let shown = String::from_utf8_lossy(file).into_owned();
    let mode = stat(file).map_err(|e| fail(format_args!("{shown}: {e}")))?.mode & 0o7777;
    let temporary = [file, b".yq-", std::format!("{:08x}", capsule_sys::random_u64() as u32).as_bytes()].concat();
    let written = open(&temporary, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC, 0o600)
        .and_then(|fd| write_all(fd.raw(), text))
        .and_then(|()| chmod(&temporary, mode))
        .and_then(|()| rename(&temporary, file));
    written.map_err(|e| {
        let _ = unlink(&temporary);
        fail(format_args!("{shown}: {e}"))
    })
}

/// One evaluation: of the documents of a file, or of all.
struct Run<'s> {
    settings: &'s Settings,
    program: Program,
    inputs: Vec<Input>,
    /// Whether something was written that has to be separated from what follows.
    separate: bool,
}

impl<'s> Run<'s> {
    fn new(settings: &'s Settings, inputs: Vec<Input>) -> Result<Run<'s>, Exit> {
        Run::with(settings, inputs, None, false)
    }

    fn with(
        settings: &'s Settings,
        inputs: Vec<Input>,
        program: Option<Program>,
        separate: bool,
    ) -> Result<Run<'s>, Exit> {
        let program = match program {
            Some(program) => program,
            None => program::compile(settings, &inputs)?,
        };
        Ok(Run { settings, program, inputs, separate })
    }

    fn each(&mut self, out: &mut dyn FnMut(&[u8])) -> Result<u8, Exit> {
        let mut last = None;
        for at in 0..self.inputs.len() {
            let input = self.inputs[at].described();
            self.document(input, Some(at), &mut last, out)?;
        }
        Ok(self.status(last))
    }

    fn all_together(&mut self, out: &mut dyn FnMut(&[u8])) -> Result<u8, Exit> {
        let mut last = None;
        self.document(Value::Null, None, &mut last, out)?;
        Ok(self.status(last))
    }

    fn status(&self, last: Option<bool>) -> u8 {
        if self.settings.exit_status && last != Some(true) {
            tell("no matches found");
            return 1;
        }
        0
    }

    /// Evaluates and writes what comes of it. `at` is the document the outputs are parts of.
    fn document(
        &mut self,
        input: Value,
        at: Option<usize>,
        last: &mut Option<bool>,
        out: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Exit> {
        let mut world = World::new(Documents, Vec::new());
        let mut machine = Machine::new(&self.program, &mut world);
        machine.start(input);
        let mut fresh = true;
        while let Some(output) = machine.next() {
            let value = match output {
                Ok(value) => value,
                Err(Stop::Halt(status, _)) => return Err(Exit(status as u8)),
                Err(Stop::Error(error)) => {
                    return Err(fail(error.as_str().map_or_else(|| json::to_string(&error), str::to_owned)));
                }
            };
            *last = Some(value.is_true());
            // Together, what comes first is taken for what was read first.
            let source = at.or(if self.inputs.is_empty() { None } else { Some(0) }).map(|at| &self.inputs[at]);
            let format = self.settings.output.or(source.map(|source| source.format)).unwrap_or(Format::Yaml);
            let separated = format == Format::Yaml && !self.settings.no_documents && !self.settings.nul;
            // `split_doc`: every result is a document.
            let splits = ["split_doc", "splitDoc"].iter().any(|name| self.settings.expression.contains(name));
            if let Some(expression) = &self.settings.split {
                let text = self.text(&value, source, format)?;
                self.apart(expression, &value, format, &text)?;
                continue;
            }
            if self.separate && separated && (fresh || splits || at.is_none()) {
                out(b"---\n");
            }
            fresh = false;
            self.separate = true;
            out(&self.text(&value, source, format)?);
        }
        Ok(())
    }

    /// A result in a file of its own.
    fn apart(&self, expression: &str, value: &Value, format: Format, text: &[u8]) -> Result<(), Exit> {
        let mut name = program::named(expression, value, self.settings.written.get())?;
        self.settings.written.set(self.settings.written.get() + 1);
        if !name.rsplit('/').next().is_some_and(|last| last.contains('.')) {
            name += format.extension();
        }
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let written = open(name.as_bytes(), flags, 0o666).and_then(|fd| write_all(fd.raw(), text));
        written.map_err(|e| fail(format_args!("open {name}: {e}")))
    }

    fn text(&self, value: &Value, source: Option<&Input>, format: Format) -> Result<Vec<u8>, Exit> {
        let settings = self.settings;
        let raw = settings.unwrap.unwrap_or(format == Format::Yaml);
        let mut text = match (value, format) {
            (Value::String(text), Format::Yaml | Format::Json) if raw => format!("{text}\n").into_bytes(),
            (_, Format::Json) => {
                let indent = if settings.indent == 0 { Indent::None } else { Indent::Spaces(settings.indent as u8) };
                let mut text = Vec::new();
                Layout { indent, ..Layout::default() }.write(value, &mut text);
                text.push(b'\n');
                text
            }
            (_, Format::Yaml) => {
                let document = source.and_then(|source| source.document.as_ref());
                let keep = yaml::Keep {
                    styles: !settings.pretty,
                    comments: !settings.no_comments,
                    anchors: !settings.expression.contains("explode("),
                };
                yaml::Writer::new(settings.indent, keep).write(value, document).into_bytes()
            }
            (_, Format::Toml) => toml::write(value).map_err(fail)?.into_bytes(),
            (_, Format::Csv) => tables::write(value, ',').map_err(fail)?.into_bytes(),
            (_, Format::Tsv) => tables::write(value, '\t').map_err(fail)?.into_bytes(),
            (_, Format::Properties) => tables::write_properties(value).map_err(fail)?.into_bytes(),
            (_, Format::Shell) => tables::write_shell(value).map_err(fail)?.into_bytes(),
            (_, Format::Xml) => xml::write(value, settings.indent).map_err(fail)?.into_bytes(),
        };
        if settings.nul {
            if text.last() == Some(&b'\n') {
                text.pop();
            }
            text.push(0);
        }
        Ok(text)
    }
}
