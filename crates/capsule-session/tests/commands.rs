//! Functions of the host as commands.

mod common;

use capsule_session::{CommandOutput, CustomCommand, Error};
use common::builder;

fn hello() -> CustomCommand {
    CustomCommand::new("hello", async |_opts, _state| Ok::<_, String>(CommandOutput::stdout("Hello")))
}

/// The example of the documents.
#[tokio::test]
async fn a_command_answers() {
    let bash = builder().custom_commands([hello()]).build().unwrap();
    let answer = bash.run("hello").await.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("Hello", 0));
    assert_eq!(bash.run("x=$(hello); echo $x | tr a-z A-Z; type -t hello").await.unwrap().stdout, "HELLO\nfile\n");
    assert!(answer.diff.created.is_empty());
}

#[tokio::test]
async fn options_and_state() {
    let show = CustomCommand::new(
        "show",
        async |opts: capsule_session::CommandOptions, state: capsule_session::CommandState| {
            let text = format!("{:?} {:?} {} {:?}\n", opts.flags, opts.args, state.cwd, state.env.get("V"));
            Ok::<_, String>(CommandOutput { stdout: text.into(), stderr: b"told\n".to_vec(), exit_code: 3 })
        },
    );
    let bash = builder().custom_commands([show.takes_value("n").manual("show: shows what it got")]).build().unwrap();
    let answer = bash.run("cd /tmp; V=1 show -n 5 --all file").await.unwrap();
    assert_eq!(answer.stdout, "{\"all\": \"\", \"n\": \"5\"} [\"file\"] /tmp Some(\"1\")\n");
    assert_eq!((answer.stderr.as_str(), answer.exit_code), ("told\n", 3));
    assert_eq!(bash.run("show --help").await.unwrap().stdout, "show: shows what it got\n");
}

#[tokio::test]
async fn commands_in_pipes_stream() {
    let double = CustomCommand::streaming("double", async |_, _, io| {
        let mut block = [0; 1000];
        loop {
            match io.read(&mut block).await {
                Ok(0) => return Ok::<u8, capsule_abi::Errno>(0),
                Ok(n) => {
                    let line: Vec<u8> = block[..n].iter().flat_map(|&b| [b, b]).collect();
                    io.write_stdout(&line).await?;
                }
                Err(e) => return Err(e),
            }
        }
    });
    let bash = builder().custom_commands([double]).build().unwrap();
    assert_eq!(bash.run("yes | double | head -c 8").await.unwrap().stdout, "yy\n\nyy\n\n");
    assert_eq!(bash.run("head -c 100000 /dev/zero | double | wc -c").await.unwrap().stdout, "200000\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_a_failed_command() {
    let fails = CustomCommand::new("fails", async |_, _| Err::<CommandOutput, _>("no luck"));
    let panics = CustomCommand::new("panics", async |opts: capsule_session::CommandOptions, _| {
        assert!(opts.args.is_empty(), "on purpose");
        Ok::<_, String>(CommandOutput::default())
    });
    let hangs = CustomCommand::new("hangs", async |_, _| {
        std::future::pending::<()>().await;
        Ok::<_, String>(CommandOutput::default())
    });
    let bash = builder().custom_commands([fails, panics, hangs]).build().unwrap();
    let answer = bash.run("fails; echo $?; panics x; echo $?; timeout 0.1 hangs; echo $?").await.unwrap();
    assert_eq!(answer.stdout, "1\n1\n124\n");
    assert!(answer.stderr.starts_with("fails: no luck\npanics: the command failed"), "{answer:?}");
}

#[tokio::test]
async fn commands_stay_with_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let make = || builder().sessions_folder(folder.path()).id("c");
    let bash = make().custom_commands([hello()]).build().unwrap();
    bash.run("rm -rf /usr/local/bin").await.unwrap();
    assert_eq!(bash.run("hello").await.unwrap().exit_code, 127);
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(bash.run("hello").await.unwrap().stdout, "Hello");
    assert_eq!(bash.fork("d").await.unwrap().run("hello").await.unwrap().stdout, "Hello");
    drop(bash);
    // A host that does not bring it any more.
    assert_eq!(make().build().unwrap().run("hello").await.unwrap().exit_code, 126);
}

#[tokio::test]
async fn names_that_cannot_be() {
    for name in ["", "a/b", "a b", "..", "a\0"] {
        let command = CustomCommand::new(name, async |_, _| Ok::<_, String>(CommandOutput::default()));
        assert!(matches!(builder().custom_commands([command]).build(), Err(Error::BadCommand(_))), "{name:?}");
    }
}
