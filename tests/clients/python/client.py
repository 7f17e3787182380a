"""Lists and calls everything that `capsule mcp` offers, with the official SDK.

client.py MODE stdio CAPSULE   starts the server
client.py MODE http URL TOKEN  calls one that runs

MODE is `legacy` (a handshake) or `auto` (the newest era both sides know).
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r}, want {want!r}")


async def call(client, name, arguments, fails=False, **options):
    """What a tool answers: the SDK has checked it against the tool's schema."""
    result = await client.call_tool(name, arguments, **options)
    check(f"{name} {arguments} is an error", bool(result.is_error), fails)
    check(f"{name}: text", json.loads(result.content[0].text), result.structured_content)
    return result.structured_content


async def tools(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    check("tools", names, ["run", "reset", "sessions", "fork", "undo", "read_file", "write_file"])

    answer = await call(client, "run", {"command": "mkdir src && touch src/index.ts"})
    check("created", answer["diff"]["created"], ["src", "src/index.ts"])
    check("cwd", answer["state"], {"cwd": "/workspace", "env": {}})
    answer = await call(client, "run", {"command": "cd src; x=1; false"}, fails=True)
    check("status", answer["exitCode"], 1)
    answer = await call(client, "run", {"command": "echo $x $PWD; cat", "stdin": "in", "timeout_ms": 60000})
    check("stdout", answer["stdout"], "1 /workspace/src\nin")

    answer = await call(client, "write_file", {"path": "a.txt", "content": "one\n"})
    check("written", answer, {"ok": True, "path": "a.txt", "size": 4})
    answer = await call(client, "read_file", {"path": "a.txt"})
    check("read", (answer["content"], answer["encoding"]), ("one\n", "utf-8"))

    await call(client, "run", {"command": "echo two > /workspace/a.txt", "diff": "contents"})
    await call(client, "fork", {"session_id": "default", "new_session_id": "copy"})
    answer = await call(client, "run", {"command": "rm /workspace/a.txt", "session_id": "copy"})
    check("deleted", answer["diff"]["deleted"], ["a.txt"])
    await call(client, "undo", {"session_id": "copy"})
    for session in ["copy", "default"]:
        answer = await call(client, "read_file", {"path": "a.txt", "session_id": session})
        check(f"a.txt in {session}", answer["content"], "two\n")

    answer = await call(client, "sessions", {})
    check("sessions", answer, {"sessions": ["copy", "default"]})
    answer = await call(client, "reset", {"session_id": "copy"})
    check("reset", answer, {"ok": True, "session_id": "copy"})
    answer = await call(client, "run", {"command": "ls", "session_id": "copy"})
    check("after reset", answer["stdout"], "")


async def progress(client):
    told = []

    async def listen(done, total, message):
        told.append(message)

    command = "echo early; sleep 0.6; echo late"
    await call(client, "run", {"command": command}, progress_callback=listen)
    check("progress", "".join(told)[:6], "early\n")


async def the_rest(client):
    check("prompts", [prompt.name for prompt in (await client.list_prompts()).prompts], ["sandbox"])
    prompt = await client.get_prompt("sandbox", {"task": "sing"})
    check("prompt", "sing" in prompt.messages[0].content.text, True)
    uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
    check("resources", "capsule://session/default/workspace/a.txt" in uris, True)
    contents = (await client.read_resource("capsule://session/default/workspace/a.txt")).contents
    check("resource", contents[0].text, "two\n")
    check("templates", len((await client.list_resource_templates()).resource_templates), 1)
    for name, arguments in [("nosuchtool", {}), ("run", {}), ("run", {"command": 1})]:
        try:
            await client.call_tool(name, arguments)
        except MCPError:
            continue
        sys.exit(f"{name} {arguments} was not refused")


async def main(mode, transport, where, token=None):
    if transport == "stdio":
        server = StdioServerParameters(command=where, args=["mcp"])
    else:
        headers = {"Authorization": f"Bearer {token}"}
        server = streamable_http_client(where, http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    async with Client(server, mode=mode) as client:
        check("version", client.protocol_version, VERSIONS[mode])
        check("server", client.server_info.name, "capsule")
        check("instructions", len(client.instructions.splitlines()), 10)
        await tools(client)
        await progress(client)
        await the_rest(client)
    print("ok")


asyncio.run(main(*sys.argv[1:]))
