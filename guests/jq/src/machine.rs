//! The machine: runs terms with backtracking. What is still to be done with a value is a chain of frames; where it
//! goes on when a value is used up is a stack of choices. Both live on the heap, so filters recurse as deep as
//! memory allows, and a call in the last place costs nothing.
//!
//! State that outlives a backtrack (the array that is collected, the value that is reduced …) lives in the choice that
//! ends it; frames know it by its height in the stack.

mod choice;
mod env;
mod eval;
mod frame;
mod resume;
mod simple;

use crate::compile::Library;
use crate::natives::{Context, Fields};
use crate::term::{Program, Term};
use crate::value::Value;
use choice::Choice;
use env::Env;
use frame::{Frame, Kind, Next};
use std::rc::Rc;

/// What a program asks of its surroundings.
pub trait Host: Library {
    /// The next input.
    fn input(&mut self) -> Option<Result<Value, Value>>;
    /// A message of `debug`, `stderr` …: text as it goes to standard error.
    fn message(&mut self, text: &[u8]);
    /// The name of the file the current input is from.
    fn filename(&mut self) -> Value;
    /// The number of lines read of it.
    fn line(&mut self) -> usize;
    /// Where the last input is from, for messages: `FILE:LINE`.
    fn position(&mut self) -> String;
    fn environment(&mut self) -> Value;
    /// A function of the command around: `load`, `from_yaml` … jq itself has none.
    fn extra(&mut self, name: &str, _input: &Value, _arg: &Value) -> Result<Value, String> {
        Err(format!("{name} is not available here"))
    }
    /// Seconds since 1970.
    fn now(&mut self) -> f64;
    /// The offset and the name of local time at a moment.
    fn local_offset(&mut self, seconds: i64) -> (i32, String);
    /// A time in C's format, in a zone of this offset and name.
    fn strftime(&mut self, time: &Fields, zone: (i32, String), format: &[u8]) -> Vec<u8>;
}

/// Why a program stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// An error nobody caught.
    Error(Value),
    /// `halt` and `halt_error`: the status and what to tell.
    Halt(i32, Option<Value>),
}

type Outcome<T> = Result<T, Stop>;

impl From<Value> for Stop {
    fn from(value: Value) -> Stop {
        Stop::Error(value)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Error(message.into())
    }
}

/// How many choices and frames a program may hold.
const MAX_CHOICES: usize = 1_000_000;
const MAX_FRAMES: u32 = 1_000_000;

/// A step of a path being followed: the key, and the value found there.
struct Step {
    /// Nothing at the start.
    key: Option<Value>,
    value: Value,
    before: Path,
}

/// The path to the current value, when one is asked for.
type Path = Option<Rc<Step>>;

impl Drop for Step {
    fn drop(&mut self) {
        // A long path must not take the stack when it goes.
        let mut next = self.before.take();
        while let Some(step) = next {
            next = Rc::into_inner(step).and_then(|mut step| step.before.take());
        }
    }
}

/// The keys of a path, outermost first.
fn keys_of(path: &Path) -> Vec<Value> {
    let mut keys = Vec::new();
    let mut at = path.as_deref();
    while let Some(step) = at {
        keys.extend(step.key.clone());
        at = step.before.as_deref();
    }
    keys.reverse();
    keys
}

/// What to do next.
enum Do<'p> {
    Eval(&'p Term, Env<'p>, Value, Next<'p>),
    Return(Value, Next<'p>),
    Backtrack,
    Raise(Stop),
}

pub struct Machine<'p, 'h> {
    program: &'p Program,
    pub context: Context<'h>,
    choices: Vec<Choice<'p>>,
    path: Path,
}

impl<'p, 'h> Machine<'p, 'h> {
    pub fn new(program: &'p Program, host: &'h mut dyn Host) -> Machine<'p, 'h> {
        Machine { program, context: Context::new(host), choices: Vec::new(), path: None }
    }

    /// Starts the program on an input; [`Machine::next`] gives what it makes of it.
    pub fn start(&mut self, input: Value) {
        self.path = None;
        self.choices.clear();
        self.choices.push(Choice::Eval {
            term: &self.program.main,
            env: Env::default(),
            input,
            path: None,
            next: Next::default(),
        });
    }

    /// The next output.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Outcome<Value>> {
        let mut doing = Do::Backtrack;
        loop {
            doing = match doing {
                Do::Eval(term, env, input, next) => self.eval(term, env, input, next),
                Do::Return(value, mut next) => match next.0.take() {
                    None => return Some(Ok(value)),
                    Some(frame) => self.resume(frame, value),
                },
                Do::Backtrack => match self.choices.pop() {
                    None => return None,
                    Some(choice) => self.take(choice),
                },
                Do::Raise(stop) => match self.raise(stop) {
                    Ok(next) => next,
                    Err(stop) => return Some(Err(stop)),
                },
            };
        }
    }

    /// Unwinds to whoever catches it.
    fn raise(&mut self, stop: Stop) -> Outcome<Do<'p>> {
        let Stop::Error(error) = stop else {
            self.choices.clear();
            return Err(stop);
        };
        while let Some(choice) = self.choices.pop() {
            match choice {
                // What follows a protected term is not protected by it.
                Choice::Passed(height) => self.choices.truncate(height),
                Choice::Try { catch, env, path, next } => {
                    self.path = path;
                    return Ok(match catch {
                        Some(catch) => Do::Eval(catch, env, error, next),
                        None => Do::Backtrack,
                    });
                }
                Choice::TryEach { rest, env, input, path, next } => {
                    self.path = path;
                    return Ok(self.try_each(rest, env, input, next));
                }
                _ => {}
            }
        }
        Err(Stop::Error(error))
    }

    fn push(&mut self, choice: Choice<'p>) -> Outcome<()> {
        if self.choices.len() >= MAX_CHOICES {
            return Err(Stop::Error("too many alternatives are pending: the program recurses without end".into()));
        }
        self.choices.push(choice);
        Ok(())
    }

    /// A frame in front of others.
    fn frame(kind: Kind<'p>, env: Env<'p>, next: Next<'p>) -> Next<'p> {
        let depth = next.0.as_ref().map_or(0, |frame| frame.depth) + 1;
        Next(Some(Rc::new(Frame { kind, env, next, depth })))
    }

    /// Evaluates a term with a frame in front of what follows.
    fn eval_then(&self, term: &'p Term, env: Env<'p>, input: Value, kind: Kind<'p>, next: Next<'p>) -> Do<'p> {
        if next.0.as_ref().is_some_and(|frame| frame.depth > MAX_FRAMES) {
            return Do::Raise(Stop::Error("the program recurses too deeply".into()));
        }
        let next = Self::frame(kind, env.clone(), next);
        Do::Eval(term, env, input, next)
    }
}
