// Lists and calls everything that `capsule mcp` offers, with the official SDK.
//
// client.mjs stdio CAPSULE   starts the server
// client.mjs http URL TOKEN  calls one that runs

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [kind, where, token] = process.argv.slice(2);
const transport =
  kind === 'stdio'
    ? new StdioClientTransport({ command: where, args: ['mcp'] })
    : new StreamableHTTPClientTransport(new URL(where), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
const client = new Client({ name: 'test', version: '0' });
await client.connect(transport);

// What a tool answers: the SDK has checked it against the tool's schema.
async function call(name, args, { fails = false, ...options } = {}) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.equal(result.isError ?? false, fails, `${name}: ${JSON.stringify(result)}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

assert.equal(client.getServerVersion().name, 'capsule');
assert.equal(client.getInstructions().trimEnd().split('\n').length, 10);

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map((tool) => tool.name),
  ['run', 'reset', 'sessions', 'fork', 'undo', 'read_file', 'write_file'],
);

let answer = await call('run', { command: 'mkdir src && touch src/index.ts' });
assert.deepEqual(answer.diff, { created: ['src', 'src/index.ts'], modified: [], deleted: [] });
assert.deepEqual(answer.state, { cwd: '/workspace', env: {} });
answer = await call('run', { command: 'cd src; x=1; exit 3' }, { fails: true });
assert.equal(answer.exitCode, 3);
answer = await call('run', { command: 'pwd; cat', stdin: 'in', timeout_ms: 60000 });
assert.equal(answer.stdout, '/workspace/src\nin');

answer = await call('write_file', { path: 'a.txt', content: 'one\n' });
assert.deepEqual(answer, { ok: true, path: 'a.txt', size: 4 });
await call('run', { command: 'echo two > /workspace/a.txt', diff: 'contents' });
await call('fork', { session_id: 'default', new_session_id: 'copy' });
answer = await call('run', { command: 'rm /workspace/a.txt', session_id: 'copy' });
assert.deepEqual(answer.diff.deleted, ['a.txt']);
await call('undo', { session_id: 'copy' });
for (const session_id of ['copy', 'default']) {
  assert.equal((await call('read_file', { path: 'a.txt', session_id })).content, 'two\n');
}
assert.deepEqual(await call('sessions', {}), { sessions: ['copy', 'default'] });
assert.deepEqual(await call('reset', { session_id: 'copy' }), { ok: true, session_id: 'copy' });

let told = '';
const onprogress = ({ message }) => (told += message);
await call('run', { command: 'echo early; sleep 0.6; echo late' }, { onprogress });
assert.ok(told.startsWith('early\n'), told);

// A cancelled run is killed: the next one does not wait for it.
const controller = new AbortController();
const endless = call('run', { command: 'while :; do :; done' }, { signal: controller.signal });
setTimeout(() => controller.abort('enough'), 300);
await assert.rejects(endless);
assert.equal((await call('run', { command: 'echo alive' })).stdout, 'alive\n');

assert.deepEqual((await client.listPrompts()).prompts.map((prompt) => prompt.name), ['sandbox']);
const prompt = await client.getPrompt({ name: 'sandbox', arguments: { task: 'sing' } });
assert.match(prompt.messages[0].content.text, /sing/);
const uri = 'capsule://session/default/workspace/a.txt';
assert.ok((await client.listResources()).resources.some((resource) => resource.uri === uri));
assert.equal((await client.readResource({ uri })).contents[0].text, 'two\n');
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
await assert.rejects(client.callTool({ name: 'nosuchtool', arguments: {} }));
await assert.rejects(client.callTool({ name: 'run', arguments: {} }));

await client.close();
console.log('ok');
