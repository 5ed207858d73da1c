// A scripted model in a process of its own, so that its work never counts as the harness's. Speaks Responses and Chat
// Completions SSE; times are CLOCK_MONOTONIC in milliseconds, comparable between processes of one machine.
//
// The parent sends { type: 'begin', script } and { type: 'report' }. A script is { turns, deltas, writes, cats, sleeps }: the
// first `turns` requests are answered with a call of `echo i`, into a file if it `writes`, or with `cats` calls of `cat`, after
// `sleep 0.2` if it `sleeps` (the
// first one after `deltas` pieces of text), the next with a last word.
import { once } from 'node:events';
import http from 'node:http';

const CHUNK = 65_536;
const now = () => Number(process.hrtime.bigint()) / 1e6;

let run = newRun({ turns: 0, deltas: 0 });

function newRun(script) {
  return { script, requests: [], others: 0, before: null };
}

const server = http.createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;

async function answer(request, response) {
  const arrivedAt = now();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const wire = wireOf(request.url);
  if (!wire || request.method !== 'POST') {
    response.writeHead(request.url.endsWith('/models') ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [], models: [] }));
    return;
  }
  const parsed = JSON.parse(body.toString('utf8'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const tool = shellTool(parsed);
  if (!tool) {
    // A title or a warm-up request: not a turn of the agent.
    run.others += 1;
    response.end(wire({ id: 'other', text: ['ok'] }));
    return;
  }

  const index = run.requests.length;
  const record = { arrivedAt, bytes: body.length, prefix: comparePrefix(parsed), firstByteAt: 0, doneAt: 0 };
  run.requests.push(record);
  const isCall = index < run.script.turns;
  const text = isCall && index === 0 && run.script.deltas > 0 ? pieces(run.script.deltas) : isCall ? [] : ['Done.'];
  const sse = wire({ id: `r${index}`, text, calls: isCall ? callsOf(tool, index) : [] });
  record.firstByteAt = now();
  let at = 0;
  for (; at + CHUNK < sse.length; at += CHUNK) {
    if (!response.write(sse.slice(at, at + CHUNK))) await once(response, 'drain');
  }
  response.end(sse.slice(at));
  record.doneAt = now();
}

function wireOf(url) {
  if (url.endsWith('/responses')) return responses;
  return url.endsWith('/chat/completions') ? chat : null;
}

function callsOf(tool, index) {
  return Array.from({ length: run.script.cats || 1 }, (_, at) => tool(at === 0 ? `${index}` : `${index}_${at}`));
}

/** The shell tool that the request offers, as a function from the turn to a call of it. */
function shellTool(request) {
  const command = (i) =>
    run.script.cats
      ? `${run.script.sleeps ? 'sleep 0.2 && ' : ''}cat group0/part0/file0.txt`
      : run.script.writes
        ? `echo ${i} > written`
        : `echo ${i}`;
  const names = new Set((request.tools ?? []).map((tool) => tool.name ?? tool.function?.name));
  const call = (name, args) => (i) => ({ id: `call_${i}`, name, arguments: JSON.stringify(args(command(i))) });
  if (names.has('exec_command')) return call('exec_command', (cmd) => ({ cmd }));
  if (names.has('shell')) return call('shell', (cmd) => ({ command: ['bash', '-c', cmd] }));
  if (names.has('bash')) return call('bash', (command) => ({ command }));
  return null;
}

/**
 * Returns the difference by which this request breaks the prefix of the one before: null when it only adds elements at
 * the end.
 */
function comparePrefix(request) {
  const text = (value) => JSON.stringify(value ?? null);
  const elements = (request.input ?? request.messages ?? []).map(text);
  const current = { elements, tools: text(request.tools), instructions: text(request.instructions) };
  const before = run.before;
  run.before = current;
  if (!before) return null;
  if (before.tools !== current.tools) return 'tools changed';
  if (before.instructions !== current.instructions) return 'instructions changed';
  const changed = before.elements.findIndex((element, i) => element !== elements[i]);
  return changed < 0 ? null : `element ${changed} changed`;
}

function pieces(count) {
  return Array.from({ length: count }, (_, i) => (i % 20 === 19 ? 'line.\n' : 'words '));
}

function responses({ id, text, calls = [] }) {
  const output = [];
  const events = [{ type: 'response.created', response: { id, status: 'in_progress', output: [] } }];
  if (text.length > 0) {
    const item = { id: `msg_${id}`, type: 'message', role: 'assistant' };
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    events.push({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    });
    for (const delta of text) events.push({ type: 'response.output_text.delta', ...place, delta });
    const full = text.join('');
    events.push({ type: 'response.output_text.done', ...place, text: full });
    output.push({ ...item, status: 'completed', content: [{ type: 'output_text', text: full, annotations: [] }] });
    events.push({ type: 'response.output_item.done', output_index: 0, item: output[0] });
  }
  for (const call of calls) {
    const output_index = output.length;
    const item = {
      id: `fc_${call.id}`,
      type: 'function_call',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    };
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } });
    events.push({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      output_index,
      delta: call.arguments,
    });
    events.push({
      type: 'response.function_call_arguments.done',
      item_id: item.id,
      output_index,
      arguments: call.arguments,
    });
    output.push({ ...item, status: 'completed' });
    events.push({ type: 'response.output_item.done', output_index, item: output[output_index] });
  }
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1010,
  };
  events.push({ type: 'response.completed', response: { id, status: 'completed', output, usage } });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function chat({ id, text, calls = [] }) {
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const lines = [chunk({ role: 'assistant', content: '' }), ...text.map((content) => chunk({ content }))];
  for (const [index, { id: callId, name, arguments: args }] of calls.entries()) {
    lines.push(chunk({ tool_calls: [{ index, id: callId, type: 'function', function: { name, arguments: args } }] }));
  }
  lines.push(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'));
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
  lines.push(
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`,
  );
  return `${lines.join('')}data: [DONE]\n\n`;
}

process.on('message', (message) => {
  if (message.type === 'begin') run = newRun(message.script);
  if (message.type === 'report') process.send({ type: 'report', requests: run.requests, others: run.others });
  if (message.type === 'begin') process.send({ type: 'begun' });
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send({ type: 'listening', port: server.address().port }));
