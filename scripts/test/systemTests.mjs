// The files of `npm run test:system`: tests of real programs, sandboxes, servers and floods, which take two thirds of the
// processor time of all tests without VS Code. `npm run test:fast` leaves them out; `npm test` runs both.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap.mjs';

export const SYSTEM_TESTS = [
  // The command line in processes of its own.
  'test/scenarios/exec.test.ts',
  'test/scenarios/execPolicy.test.ts',
  'test/scenarios/codeCache.test.ts',
  'test/scenarios/heapCollection.test.ts',
  'test/scenarios/home.test.ts',
  'test/scenarios/modelSettings.test.ts',
  'test/scenarios/applyPatch.test.ts',
  'test/scenarios/undoCommand.test.ts',
  'test/scenarios/ownPrograms.test.ts',
  'test/scenarios/demo.test.ts',
  'test/scenarios/killed.test.ts',
  'test/node/demoModel/variants.test.ts',
  'test/node/demoModel/reactions.test.ts',
  'test/scenarios/terminalOutput.test.ts',
  'test/scenarios/notify.test.ts',
  'test/scenarios/proxy.test.ts',
  'test/scenarios/hostileWorkspace.test.ts',
  'test/scenarios/canary.test.ts',
  'test/scripts/runSuites.test.ts',
  // A run of the compiler.
  'test/protocol/itemTraits.test.ts',
  // Programs and addresses of MCP servers.
  'test/scenarios/mcp.test.ts',
  'test/scenarios/mcpAuthorization.test.ts',
  'test/scenarios/mcpElicitation.test.ts',
  'test/scenarios/mcpExec.test.ts',
  'test/scenarios/mcpForTheUser.test.ts',
  'test/scenarios/mcpMisbehaves.test.ts',
  'test/scenarios/mcpTransports.test.ts',
  // Floods, storms and long threads.
  'test/scenarios/limits.test.ts',
  'test/scenarios/processes.test.ts',
  'test/scenarios/secrets.test.ts',
  'test/scenarios/swappedFolder.test.ts',
  'test/scenarios/longThread.test.ts',
  'test/scenarios/contextMeter.test.ts',
  'test/scenarios/cuts.test.ts',
  'test/scenarios/manyCommands.test.ts',
  'test/scenarios/parallelCalls.test.ts',
  // Hundreds of sessions, recorded threads, and scripts given to a real shell.
  'test/core/session/session.property.test.ts',
  'test/scenarios/replay.test.ts',
  'test/core/policy/parseScript.test.ts',
  // Sandboxes, and programs that commands run.
  'test/scenarios/sandbox.test.ts',
  'test/scenarios/sandboxedCommands.test.ts',
  'test/scenarios/approvalReviewer.test.ts',
  'test/scenarios/allowedHosts.test.ts',
  'test/scenarios/secretFiles.test.ts',
  'test/scenarios/hostileGit.test.ts',
  'test/scenarios/inheritedEnvironment.test.ts',
  'test/scenarios/folders.test.ts',
  'test/scenarios/runTests.test.ts',
  'test/scenarios/agentsExec.test.ts',
  'test/scenarios/certificates.test.ts',
  'test/scenarios/commandChanges.test.ts',
  // Git repositories and their copies.
  'test/node/sideCopies/sideCopies.test.ts',
  'test/scenarios/sideCopies.test.ts',
  // The servers of all providers, with every fault of a connection.
  'test/core/model/clients.test.ts',
  'test/core/model/imitatedClients.test.ts',
  'test/core/model/imitations.test.ts',
  'test/scenarios/faults.test.ts',
  'test/scenarios/imitatedFaults.test.ts',
  // Shells, terminals, hooks and other programs of commands.
  'test/scenarios/hooks.test.ts',
  'test/scenarios/hooksCli.test.ts',
  'test/scenarios/interrupts.test.ts',
  'test/scenarios/memory.test.ts',
  'test/scenarios/shells.test.ts',
  'test/node/starter.test.ts',
  'test/node/terminal.test.ts',
  // Processes that are killed or paused, and sandboxes.
  'test/node/exec.test.ts',
  'test/node/textSearch.test.ts',
  'test/node/baseline/store.test.ts',
  'test/node/sandbox/workspace.test.ts',
  'test/node/sandbox/escape.test.ts',
  'test/node/sandbox/shared.test.ts',
  'test/node/sandbox/hosts.test.ts',
  'test/node/locks.test.ts',
  'test/node/daySpending.test.ts',
  'test/node/pausing.test.ts',
  'test/node/pathStability.test.ts',
  'test/node/processLock.test.ts',
  'test/node/recovery.test.ts',
  'test/node/settledJournals.test.ts',
  'test/node/withJournalLock.test.ts',
];

/** A renamed file would run in no suite. */
const missing = SYSTEM_TESTS.filter((file) => !existsSync(path.join(root, file)));
if (missing.length > 0)
  throw new Error(`scripts/test/systemTests.mjs names files that do not exist: ${missing.join(', ')}`);
