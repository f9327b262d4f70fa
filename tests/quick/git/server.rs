//! A git server on loopback: `git http-backend` behind as much HTTP as git clients speak, and all the ways in which a
//! server can let its clients down.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const MAX_HEAD: u64 = 64 * 1024;
const MAX_BODY: usize = 16 * 1024 * 1024;
const SOCKET_TIMEOUT: Duration = Duration::from_secs(30);

/// What the server does with the next requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Serve,
    /// Reads the request and never answers.
    Hang,
    /// Sends half of every pack and then nothing more, with the connection open.
    StallMidPack,
    /// Sends half of a pack and hangs up, this many times.
    DropMidPack(usize),
    /// Answers that it is overloaded, this many times.
    Overloaded(usize),
    /// Answers with bytes that mean nothing, where references or packs are due.
    Babble,
    /// Sends whole packs in which some bytes are others.
    CorruptPack,
    /// Promises commits that its packs do not hold.
    PromiseOthers,
    /// Sends its clients to a file of their own.
    RedirectToFile,
    /// Sends them round in circles.
    RedirectForEver,
    /// Names references without end, slowly.
    EndlessReferences,
    /// Says again and again that it is counting, and never sends a pack.
    EndlessProgress,
}

pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    repositories: PathBuf,
    user_and_password: Option<&'static str>,
    mood: Mutex<Mood>,
    stopped: AtomicBool,
    requests: AtomicUsize,
    packs: AtomicUsize,
}

impl Server {
    pub fn start(repositories: &Path) -> Self {
        Self::start_with(repositories, None)
    }

    /// Lets in only this `user:password`.
    pub fn start_with(repositories: &Path, user_and_password: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            repositories: repositories.to_owned(),
            user_and_password,
            mood: Mutex::new(Mood::Serve),
            stopped: AtomicBool::new(false),
            requests: AtomicUsize::new(0),
            packs: AtomicUsize::new(0),
        });
        let for_acceptor = Arc::clone(&shared);
        let acceptor = std::thread::spawn(move || accept(&listener, &for_acceptor));
        Server { address, shared, acceptor: Some(acceptor) }
    }

    pub fn url(&self, repository: &str) -> String {
        format!("http://{}/{repository}", self.address)
    }

    pub fn url_as(&self, user: &str, repository: &str) -> String {
        format!("http://{user}@{}/{repository}", self.address)
    }

    pub fn is(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap() = mood;
    }

    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// How many packs were asked for.
    pub fn packs(&self) -> usize {
        self.shared.packs.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the acceptor, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // A client that goes away is no failure of the server.
        std::thread::spawn(move || drop(answer(&stream, &shared)));
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn is_pack(&self) -> bool {
        self.method == "POST" && self.path.ends_with("/git-upload-pack")
    }
}

struct Response {
    status: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

fn answer(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(SOCKET_TIMEOUT))?;
    stream.set_write_timeout(Some(SOCKET_TIMEOUT))?;
    let request = read_request(stream)?;
    shared.requests.fetch_add(1, Ordering::SeqCst);
    if !is_allowed(&request, shared) {
        let headers = vec!["WWW-Authenticate: Basic realm=\"git\"".to_owned()];
        return send(stream, &Response { status: "401 Unauthorized".into(), headers, body: Vec::new() }, None);
    }
    if request.is_pack() {
        shared.packs.fetch_add(1, Ordering::SeqCst);
    }
    match next_mood(shared, &request) {
        Mood::Hang => wait_for_end(shared),
        Mood::Overloaded(_) => {
            send(stream, &Response { status: "503 Busy".into(), headers: Vec::new(), body: Vec::new() }, None)
        }
        Mood::RedirectToFile => redirect(stream, &format!("file://{}/x.git/info/refs", shared.repositories.display())),
        Mood::RedirectForEver => redirect(stream, &format!("{}?{}", request.path, request.query)),
        Mood::EndlessReferences => endless_references(stream, shared),
        Mood::EndlessProgress if request.is_pack() => endless_progress(stream, shared),
        mood => {
            let mut response = run_backend(&request, shared)?;
            lie(mood, &request, &mut response.body);
            let half = response.body.len() / 2;
            let cuts = matches!(mood, Mood::StallMidPack | Mood::DropMidPack(_));
            let cut = (request.is_pack() && cuts).then_some(half);
            send(stream, &response, cut)?;
            if mood == Mood::StallMidPack && cut.is_some() {
                return wait_for_end(shared);
            }
            stream.shutdown(Shutdown::Both)
        }
    }
}

/// What a lying server makes of an honest answer.
fn lie(mood: Mood, request: &Request, body: &mut [u8]) {
    match mood {
        Mood::Babble => body.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 31 % 251) as u8),
        Mood::CorruptPack if request.is_pack() => {
            let middle = body.len() / 2;
            body[middle..].iter_mut().take(64).for_each(|byte| *byte ^= 0x55);
        }
        Mood::PromiseOthers if !request.is_pack() => change_hashes(body),
        _ => {}
    }
}

/// Every hexadecimal hash becomes another one.
fn change_hashes(body: &mut [u8]) {
    let mut at = 0;
    while at + 40 <= body.len() {
        if body[at..at + 40].iter().all(u8::is_ascii_hexdigit) {
            body[at + 8..at + 16].fill(b'e');
            at += 40;
        } else {
            at += 1;
        }
    }
}

fn redirect(stream: &TcpStream, to: &str) -> io::Result<()> {
    let headers = vec![format!("Location: {to}")];
    send(stream, &Response { status: "302 Found".into(), headers, body: Vec::new() }, None)
}

fn endless_references(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    begin_endless(stream, "application/x-git-upload-pack-advertisement")?;
    send_chunk(stream, b"001e# service=git-upload-pack\n0000")?;
    let hash = "1".repeat(40);
    for number in 0.. {
        if shared.stopped.load(Ordering::SeqCst) {
            break;
        }
        let abilities = if number == 0 { "\0side-band-64k ofs-delta" } else { "" };
        send_line(stream, &format!("{hash} refs/heads/branch-{number:08}{abilities}\n"))?;
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Side band 2 is what a server has to say while one waits.
fn endless_progress(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    begin_endless(stream, "application/x-git-upload-pack-result")?;
    send_line(stream, "NAK\n")?;
    while !shared.stopped.load(Ordering::SeqCst) {
        send_line(stream, "\u{2}counting objects\r")?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn begin_endless(mut stream: &TcpStream, kind: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes())
}

/// A line of git's protocol, which begins with its length.
fn send_line(stream: &TcpStream, line: &str) -> io::Result<()> {
    send_chunk(stream, format!("{:04x}{line}", line.len() + 4).as_bytes())
}

fn send_chunk(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(&[format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

/// Moods that last for a number of requests count down.
fn next_mood(shared: &Shared, request: &Request) -> Mood {
    let mut mood = shared.mood.lock().unwrap();
    let now = *mood;
    *mood = match now {
        Mood::DropMidPack(0) | Mood::Overloaded(0) => Mood::Serve,
        Mood::DropMidPack(left) if request.is_pack() => Mood::DropMidPack(left - 1),
        Mood::Overloaded(left) => Mood::Overloaded(left - 1),
        other => other,
    };
    match now {
        Mood::DropMidPack(0) | Mood::Overloaded(0) => Mood::Serve,
        other => other,
    }
}

fn wait_for_end(shared: &Shared) -> io::Result<()> {
    while !shared.stopped.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn is_allowed(request: &Request, shared: &Shared) -> bool {
    let Some(expected) = shared.user_and_password else { return true };
    let expected = format!("Basic {}", base64(expected.as_bytes()));
    request.header("authorization") == Some(expected.as_str())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= group.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn read_request(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = reader.by_ref().take(MAX_HEAD);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = words.next().zip(words.next()).ok_or_else(|| malformed("request line"))?;
    // A proxy is asked for a whole url.
    let target = match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
    let headers = read_headers(&mut head)?;
    let mut request = Request { method, path, query, headers, body: Vec::new() };
    request.body = read_body(&mut reader, &request)?;
    Ok(request)
}

fn read_headers(head: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Err(malformed("headers without an end"));
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None if line.trim_end().is_empty() => return Ok(headers),
            None => return Err(malformed("header")),
        }
    }
}

fn read_body(reader: &mut impl BufRead, request: &Request) -> io::Result<Vec<u8>> {
    if request.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        return read_chunks(reader);
    }
    let length = request.header("content-length").map_or(Ok(0), str::parse).map_err(|_| malformed("length"))?;
    read_exactly(reader, length)
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(malformed("a body that is too long"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.take(1024).read_line(&mut line)?;
        let digits = line.trim_end().split(';').next().unwrap_or_default();
        let length = usize::from_str_radix(digits, 16).map_err(|_| malformed("chunk"))?;
        if body.len() + length > MAX_BODY {
            return Err(malformed("a body that is too long"));
        }
        body.extend(read_exactly(reader, length)?);
        let mut end = String::new();
        reader.take(1024).read_line(&mut end)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn run_backend(request: &Request, shared: &Shared) -> io::Result<Response> {
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("GIT_PROJECT_ROOT", &shared.repositories).env("REMOTE_ADDR", "127.0.0.1");
    command.env("REQUEST_METHOD", &request.method).env("PATH_INFO", &request.path).env("QUERY_STRING", &request.query);
    command.env("CONTENT_LENGTH", request.body.len().to_string());
    for (header, variable) in [
        ("content-type", "CONTENT_TYPE"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
        ("git-protocol", "HTTP_GIT_PROTOCOL"),
    ] {
        if let Some(value) = request.header(header) {
            command.env(variable, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().ok_or_else(|| malformed("no input"))?;
    let body = request.body.clone();
    let writer = std::thread::spawn(move || drop(input.write_all(&body)));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    parse_response(&output.stdout)
}

fn parse_response(output: &[u8]) -> io::Result<Response> {
    let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n").ok_or_else(|| malformed("backend's headers"))?;
    let mut response = Response { status: "200 OK".into(), headers: Vec::new(), body: output[end + 4..].to_vec() };
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        match line.strip_prefix("Status: ") {
            Some(status) => response.status = status.to_owned(),
            None => response.headers.push(line.to_owned()),
        }
    }
    Ok(response)
}

/// All of it, or only the first bytes of its body, though the head promises all.
fn send(mut stream: &TcpStream, response: &Response, cut: Option<usize>) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\n", response.status);
    for header in &response.headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", response.body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(&response.body[..cut.unwrap_or(response.body.len())])?;
    stream.flush()
}
