//! `/proc` as the processes of a session see it.

mod common;

use capsule_abi::Errno;
use capsule_abi::fs::{AT_FDCWD, OpenFlags};
use capsule_abi::process::WaitStatus;
use capsule_kernel::procfs::ProcFs;
use capsule_kernel::{Exit, Process};
use common::{Machine, OK, Scripts, request};
use std::sync::Arc;

fn boot(scripts: Scripts) -> Machine {
    let machine = scripts.boot();
    machine.mkdir("/proc");
    ProcFs::mount(&machine.kernel).unwrap();
    machine
}

fn read(process: &Process, path: &str) -> Result<String, Errno> {
    let file = process.kernel().vfs().open(&process.caller(), None, path.as_bytes(), OpenFlags::RDONLY, 0)?;
    let mut bytes = vec![0; 65536];
    let len = file.read_at(0, &mut bytes)?;
    bytes.truncate(len);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn list(process: &Process, path: &str) -> Vec<String> {
    let vfs = process.kernel().vfs();
    let dir = vfs.open(&process.caller(), None, path.as_bytes(), OpenFlags::DIRECTORY, 0).unwrap();
    let mut names = Vec::new();
    dir.read_dir(0, &mut |entry| {
        names.push(String::from_utf8_lossy(&entry.name).into_owned());
        true
    })
    .unwrap();
    names
}

#[tokio::test]
async fn a_process_finds_itself_and_its_child() {
    let machine = boot(
        Scripts::default()
            .add("sleeper", |p: Arc<Process>| async move {
                p.pause().await;
                OK
            })
            .add("main", |p: Arc<Process>| async move {
                let own = p.pid();
                let child = p.spawn(request("/bin/sleeper", &["a b", "c"])).await.unwrap();
                // It gets its first turn while we wait for something else.
                p.sleep(std::time::Duration::from_millis(1)).await.unwrap();
                assert_eq!(p.readlink(AT_FDCWD, b"/proc/self").unwrap(), own.to_string().into_bytes());
                assert_eq!(read(&p, "/proc/self/comm").unwrap(), "main\n");
                let of_child = |name: &str| read(&p, &format!("/proc/{child}/{name}")).unwrap();
                assert!(of_child("cmdline").ends_with("\0a b\0c\0"));
                assert!(of_child("stat").starts_with(&format!("{child} (sleeper) S {own} ")), "{}", of_child("stat"));
                assert_eq!(of_child("stat").split(' ').count(), 52);
                assert!(of_child("status").contains(&format!("\nPPid:\t{own}\n")));
                assert_eq!(p.readlink(AT_FDCWD, b"/proc/self/exe").unwrap(), b"/bin/main");
                assert_eq!(p.readlink(AT_FDCWD, b"/proc/self/cwd").unwrap(), b"/");
                let names = list(&p, "/proc");
                assert!(names.contains(&own.to_string()) && names.contains(&child.to_string()), "{names:?}");
                p.kill(child, 9).unwrap();
                p.kernel().process(child).unwrap().ended().await;
                assert!(of_child("stat").starts_with(&format!("{child} (sleeper) Z ")));
                assert_eq!(of_child("cmdline"), "");
                p.wait(child, 0).await.unwrap();
                assert_eq!(read(&p, &format!("/proc/{child}/stat")), Err(Errno::ENOENT));
                OK
            }),
    );
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn descriptors_are_links() {
    let machine = boot(Scripts::default().add("main", |p: Arc<Process>| async move {
        let fd = p.open(AT_FDCWD, b"/tmp", OpenFlags::DIRECTORY, 0, 7).await.unwrap();
        assert_eq!(fd, 7);
        assert_eq!(p.readlink(AT_FDCWD, b"/proc/self/fd/7").unwrap(), b"/tmp");
        assert!(list(&p, "/proc/self/fd").contains(&"7".to_owned()));
        assert_eq!(p.readlink(AT_FDCWD, b"/proc/self/fd/8"), Err(Errno::ENOENT));
        for bad in ["/proc/self/fd/07", "/proc/0", "/proc/-1", "/proc/99999999999", "/proc/01", "/proc/self/x"] {
            assert_eq!(read(&p, bad), Err(Errno::ENOENT), "{bad}");
        }
        OK
    }));
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}

#[tokio::test]
async fn the_session_tells_its_limits_and_nothing_can_be_written() {
    let machine = boot(Scripts::default().add("main", |p: Arc<Process>| async move {
        assert!(read(&p, "/proc/meminfo").unwrap().starts_with("MemTotal:        2097152 kB\n"));
        assert!(read(&p, "/proc/mounts").unwrap().contains("proc /proc proc ro 0 0\n"));
        for file in ["cpuinfo", "loadavg", "stat", "uptime", "version"] {
            assert!(read(&p, &format!("/proc/{file}")).unwrap().ends_with('\n'), "{file}");
        }
        let open = p.open(AT_FDCWD, b"/proc/uptime", OpenFlags::WRONLY, 0, 0).await;
        assert_eq!(open, Err(Errno::EROFS));
        assert_eq!(p.open(AT_FDCWD, b"/proc/new", OpenFlags::CREAT | OpenFlags::WRONLY, 0, 0).await, Err(Errno::EROFS));
        Exit::Code(0)
    }));
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
}
