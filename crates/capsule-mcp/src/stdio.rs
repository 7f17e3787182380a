//! Messages as lines on standard input and output.
//!
//! The library's own transport is silent about what it cannot read. Here every line is answered: one that is no JSON, no
//! message, too long, or a request with an id that is taken.

use crate::in_flight::{InFlight, Refused};
use crate::order::Order;
use crate::{MOST_MESSAGE, Server};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Serves the client at the other end of standard input and output until it is gone.
pub async fn serve(server: Server) -> io::Result<()> {
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    serve_over(server, reader, writer).await
}

/// The same over any two streams.
pub async fn serve_over(
    server: Server,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let order = Arc::<Order>::default();
    let lines = Lines::new(reader, writer, order.clone());
    match server.with_order(order).serve(lines).await {
        Ok(running) => drop(running.waiting().await.map_err(io::Error::other)?),
        // It left without a word.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(io::Error::other(error)),
    }
    Ok(())
}

struct Lines<R, W> {
    reader: BufReader<R>,
    /// What is read of a line. Here and not in the future that reads, which is given up when something else happens.
    line: Vec<u8>,
    /// The line is too long and was answered: its rest is passed over.
    passing_over: bool,
    /// A request came; before the first, other messages mean nothing.
    greeted: bool,
    writer: Arc<Mutex<Option<W>>>,
    requests: Arc<InFlight>,
    order: Arc<Order>,
}

/// A line as it was read.
enum Line {
    Whole,
    TooLong,
    End,
}

/// A message that cannot be handed on, as the client is told.
struct Complaint {
    id: Option<RequestId>,
    code: ErrorCode,
    message: String,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    fn new(reader: R, writer: W, order: Arc<Order>) -> Lines<R, W> {
        Lines {
            reader: BufReader::with_capacity(64 << 10, reader),
            line: Vec::new(),
            passing_over: false,
            greeted: false,
            writer: Arc::new(Mutex::new(Some(writer))),
            requests: Arc::default(),
            order,
        }
    }

    /// Reads on until a line is complete. Given up at any await, it loses nothing.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                // A last line may have no end.
                let whole = !self.line.is_empty() && !self.passing_over;
                return Ok(if whole { Line::Whole } else { Line::End });
            }
            let newline = available.iter().position(|&byte| byte == b'\n');
            let length = newline.map_or(available.len(), |at| at + 1);
            let passing_over = self.passing_over;
            let fits = self.line.len() + length <= MOST_MESSAGE;
            if !passing_over && fits {
                self.line.extend_from_slice(&available[..length]);
            }
            self.reader.consume(length);
            self.passing_over = (passing_over || !fits) && newline.is_none();
            if !passing_over && !fits {
                self.line = Vec::new();
                return Ok(Line::TooLong);
            }
            if !passing_over && newline.is_some() {
                return Ok(Line::Whole);
            }
        }
    }

    /// The message of a line; None for one that is to be passed over in silence.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Complaint> {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
            Ok(message) => message,
            Err(why) => return complaint(line, &why).map_or(Ok(None), Err),
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                let refused =
                    |code, message: &str| Complaint { id: Some(request.id.clone()), code, message: message.to_owned() };
                self.requests.begin(&request.id).map_err(|why| match why {
                    Refused::SameId => refused(ErrorCode::INVALID_REQUEST, "a request with this id was made before"),
                    Refused::TooMany => refused(ErrorCode::INTERNAL_ERROR, "too many requests wait for an answer"),
                })?;
                if matches!(request.request, ClientRequest::CallToolRequest(_)) {
                    self.order.begin(&request.id);
                }
                self.greeted = true;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.requests.cancel(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(self.greeted.then_some(message))
    }

    /// In a task of its own: whoever waits for the next message may give up, and half a line must not stay.
    async fn complain(&mut self, complaint: Complaint) -> io::Result<()> {
        let error = json!({ "code": complaint.code, "message": complaint.message });
        let message = json!({ "jsonrpc": "2.0", "id": complaint.id, "error": error });
        let writer = self.writer.clone();
        tokio::spawn(async move { write(&writer, &message).await }).await?
    }
}

/// What is wrong with a line; None if it is a notification, which is never answered.
fn complaint(line: &[u8], why: &serde_json::Error) -> Option<Complaint> {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Some(Complaint { id: None, code: ErrorCode::PARSE_ERROR, message: format!("not JSON: {why}") });
    };
    let method = value.get("method").and_then(Value::as_str);
    if method.is_some() && value.get("id").is_none() {
        return None;
    }
    let id: Option<RequestId> = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let (code, message) = match method {
        Some(method) if id.is_some() && value["jsonrpc"] == "2.0" => {
            (ErrorCode::INVALID_PARAMS, format!("the parameters of {method} are not what it takes"))
        }
        _ => (ErrorCode::INVALID_REQUEST, "not a request, a notification or a response of JSON-RPC 2.0".to_owned()),
    };
    Some(Complaint { id, code, message })
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &Mutex<Option<W>>,
    message: &(impl serde::Serialize + Sync),
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, requests, order) = (self.writer.clone(), self.requests.clone(), self.order.clone());
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            if let Some(id) = answered {
                requests.end(id);
                order.asked(id);
            }
            write(&writer, &message).await
        }
    }

    /// The next message, or None when the client is gone.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.order.ready().await;
        loop {
            let complaint = match self.read_line().await.ok()? {
                Line::End => return None,
                Line::TooLong => {
                    let message = format!("a message may have at most {} MiB", MOST_MESSAGE >> 20);
                    Complaint { id: None, code: ErrorCode::INVALID_REQUEST, message }
                }
                Line::Whole => match self.message() {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(complaint) => complaint,
                },
            };
            self.complain(complaint).await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.take();
        Ok(())
    }
}
