import type { Ports } from '../../src/core/ports.ts';
import { SessionManager } from '../../src/core/session/sessionManager.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import type { Scenario } from './startScenario.ts';

/** Another window on the same home. */
export function windowBeside(chat: Scenario, clock = ({ clock }: Ports) => clock): SessionManager {
  const ports = createNodePorts({ roots: [chat.folder.path], environment: { TILLER_HOME: chat.home.path } });
  return new SessionManager({ ...ports, clock: clock(ports) }, { version: '0.0.0-test', originator: 'vscode' });
}
