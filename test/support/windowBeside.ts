import type { Ports } from '../../src/core/ports.ts';
import { AgentService } from '../../src/core/agent/agentService.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import type { Scenario } from './startScenario.ts';

/** Creates the service of another window with the same TILLER_HOME. */
export function windowBeside(chat: Scenario, clock = ({ clock }: Ports) => clock): AgentService {
  const ports = createNodePorts({ roots: [chat.folder.path], environment: { TILLER_HOME: chat.home.path } });
  return new AgentService({ ...ports, clock: clock(ports) }, { version: '0.0.0-test', originator: 'vscode' });
}
