//! Prometheus' own checker of metrics: the one on the path, else the one of the Debian package, put below `target` once.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The checker; an error is the reason why there can be none here.
pub fn promtool() -> Result<PathBuf, String> {
    let is_here = Command::new("promtool").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if is_here.is_ok_and(|status| status.success()) {
        return Ok("promtool".into());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("promtool");
    let tool = folder.join("usr/bin/promtool");
    fs::create_dir_all(&folder).map_err(|error| format!("no folder for promtool: {error}"))?;
    let lock = File::create(folder.join("lock")).map_err(|error| format!("no lock for promtool: {error}"))?;
    lock.lock().map_err(|error| format!("no lock for promtool: {error}"))?;
    if tool.exists() {
        return Ok(tool);
    }
    run(Command::new("apt-get").args(["-q", "download", "prometheus"]).current_dir(&folder))?;
    let packages = fs::read_dir(&folder).map_err(|error| format!("no package: {error}"))?;
    let package =
        packages.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "deb"));
    let package = package.ok_or("apt-get brought no package")?;
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&folder))?;
    let _ = fs::remove_file(package);
    if tool.exists() { Ok(tool) } else { Err("the package holds no promtool".to_owned()) }
}

/// What the checker says of a text: one complaint per line.
pub fn complaints(tool: &Path, text: &str) -> Vec<String> {
    let mut process = Command::new(tool)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool starts");
    process.stdin.take().expect("piped").write_all(text.as_bytes()).expect("someone reads");
    let ended = process.wait_with_output().expect("promtool ends");
    let said = [ended.stdout, ended.stderr].concat();
    String::from_utf8_lossy(&said).lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output().map_err(|error| format!("{name} cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("{name} failed: {}", said.trim())) }
}
