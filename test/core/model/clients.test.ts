import { builtinTools } from '../../../src/core/tools/builtin.ts';
import { ToolRegistry } from '../../../src/core/tools/registry.ts';
import { harmlessTools } from '../../../src/core/tools/toolProvider.ts';
import { startDemoModel } from '../../../src/node/demoModel/server.ts';
import { calls, fails, type ModelScript, ModelServer, reasons, says } from '../../support/modelServer.ts';
import { conformance } from './conformance.ts';
import { serverConformance } from './serverConformance.ts';
import { TOOL_FAMILY, TOOL_OPTIONS } from '../../support/toolOptions.ts';

conformance('responses');
conformance('chat');
conformance('messages');

const family = TOOL_FAMILY;
const builtin = builtinTools(family, TOOL_OPTIONS);
const tools = new ToolRegistry([
  { id: 'builtin', tools: builtin },
  { id: 'harmless', tools: harmlessTools.tools(family) },
]).specs;

const script: ModelScript = ({ body, text }) => {
  if (body['model'] !== 'scripted')
    return [fails(404, { code: 'model_not_found', message: 'There is no such model.' })];
  if (text.includes('Exit code: 0')) return [says('Done.')];
  return [
    reasons('Hm.'),
    says('Let me look.'),
    calls('exec_command', { cmd: 'ls' }),
    calls('update_plan', { plan: [] }),
  ];
};

for (const wire of ['responses', 'chat', 'messages'] as const) {
  const cutStep = wire === 'messages' ? 8 : 1;
  const scripted = { model: 'scripted', tools, cutStep, start: () => ModelServer.start(script, { wire }) };
  const demo = { model: 'demo', tools, cutStep, start: () => startDemoModel({ port: 0, paceMs: 0 }) };
  serverConformance('a scripted model', wire, scripted);
  serverConformance('the demo model', wire, demo);
}
