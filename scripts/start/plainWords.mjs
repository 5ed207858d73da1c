// Formats events as lines for a terminal.

const MARKS = { completed: '✓', in_progress: '▸', pending: '·' };

/** Returns the lines for an event; there may be none. @param {{ type: string }} msg  an `EventMsg` */
export function inPlainWords(msg) {
  switch (msg.type) {
    case 'thread_started':
      return [`Model ${msg.model}, policy ${msg.approvalPolicy}, sandbox ${msg.sandbox}.`];
    case 'plan_updated':
      return ['Plan:', ...msg.steps.map(({ step, status }) => `  ${MARKS[status]} ${step}`)];
    case 'item_started':
      return msg.item.type === 'command_execution' ? [`Runs: ${msg.item.command}`] : [];
    case 'item_completed':
      return itemInPlainWords(msg.item);
    case 'approval_requested':
      return [`Asks: ${msg.command ?? 'to change files'} (${msg.reason.text})`];
    case 'approval_resolved':
      return [
        `Answered by ${msg.by}: ${typeof msg.decision === 'string' ? msg.decision : Object.keys(msg.decision)[0]}.`,
      ];
    case 'stream_error':
      return [`The model's answer broke off (${msg.kind}); attempt ${msg.attempt} of ${msg.of}.`];
    case 'warning':
      return [`Warning: ${msg.message}`];
    case 'error':
      return [`Error: ${msg.message}`];
    case 'turn_aborted':
      return [`The turn was aborted: ${msg.reason}.`];
    default:
      return [];
  }
}

function itemInPlainWords(item) {
  switch (item.type) {
    case 'agent_message':
      return [`Says: ${item.text.trim().replaceAll('\n', '\n      ')}`];
    case 'command_execution':
      return [`  → ${item.status}, exit code ${item.exitCode ?? '–'}, ${Math.round(item.durationMs)} ms`];
    case 'file_change':
      return [
        `Patch ${item.status}:`,
        ...item.changes.map(({ kind, path: file, added, removed }) => `  ${kind} ${file} (+${added} −${removed})`),
        ...item.diff
          .split('\n')
          .filter((line) => /^[-+](?![-+]{2})/.test(line))
          .map((line) => `    ${line}`),
      ];
    default:
      return [];
  }
}
