import * as vscode from 'vscode';
import { BUILTIN_ROLES } from '../core/agent/builtinRoles.ts';
import type { McpServers } from '../core/mcp/mcpServers.ts';
import { ExternalTools } from '../core/tools/external/externalTools.ts';
import type { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import type { Ports } from '../core/ports.ts';
import { Trust } from '../core/trust/trust.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { isBelow } from '../core/util/pathBelow.ts';
import { createAgentFiles } from '../node/customizations/createAgentFiles.ts';
import { createHooks } from '../node/customizations/createHooks.ts';
import { createMcp } from '../node/mcp/createMcpServers.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import type { SideCopies } from '../node/sideCopies/sideCopies.ts';
import { createSkills } from '../node/customizations/createSkills.ts';
import { AgentCommands } from '../vscode/customizations/agentCommands.ts';
import { HookCommands } from '../vscode/customizations/hookCommands.ts';
import { LanguageModelTools } from '../vscode/languageModelTools/languageModelTools.ts';
import { McpCommands } from '../vscode/mcp/mcpCommands.ts';
import { McpController } from '../vscode/mcp/mcpController.ts';
import { McpLogs } from '../vscode/mcp/mcpLogs.ts';
import { mcpSecretsIn, SignInHandler } from '../vscode/mcp/signIn.ts';
import { SkillCommands } from '../vscode/customizations/skillCommands.ts';
import type { ThreadFactoryDeps } from '../vscode/threads/threadFactory.ts';
import { ReadOnlyTexts } from '../vscode/ui/readOnlyTexts.ts';
import type { Host } from './createHost.ts';

declare const TILLER_VERSION: string;

/** Settings, files and other extensions add these to threads: MCP servers, tools, hooks, agents and skills. */
export interface Customizations {
  readonly mcp: { readonly servers: McpServers; readonly controller: McpController; readonly commands: McpCommands };
  readonly hooks: HookCommands;
  readonly agentCommands: AgentCommands;
  readonly skillCommands: SkillCommands;
  readonly lmTools: LanguageModelTools;
  /** The approved ones, for each thread. */
  readonly forThreads: Pick<ThreadFactoryDeps, 'toolProviders' | 'hooks' | 'agentRoles' | 'skills'>;
}

/** `tools`: those that other extensions register by Tiller's API. */
export function createCustomizations(
  context: vscode.ExtensionContext,
  host: Host,
  ports: Ports,
  sideCopies: SideCopies,
  tools: ExternalToolRegistry,
  store: DisposableStore,
): Customizations {
  const { log, settings, report } = host;
  const roots = () => (vscode.workspace.isTrusted ? ports.workspace.roots : []);
  const memento = context.workspaceState;
  const { mcp, ...servers } = createMcpServers(context, host, ports, roots, store);
  const lmTools = new LanguageModelTools(settings, (name) => name.startsWith('tiller_'));
  const otherTools = () => [...tools.all, ...lmTools.registry.all].map(({ tool }) => tool.name);
  const texts = store.add(new ReadOnlyTexts('tiller-proposed-file'));

  const hooks = createHooks({ ports, settings, roots });
  const hookCommands = new HookCommands({ ...hooks, memento });
  const agentFiles = createAgentFiles({
    ports,
    settings,
    roots,
    builtin: BUILTIN_ROLES.map(({ name }) => name),
    otherTools,
  });
  const agentCommands = new AgentCommands({ ...agentFiles, builtin: BUILTIN_ROLES, memento, texts });
  const skills = createSkills({ ports, roots, otherTools });
  const skillCommands = store.add(
    new SkillCommands({ ...skills, memento, texts, maxTokens: () => settings()['skills.maxTokens'] }),
  );

  const toolApproval = {
    trust: new Trust('tools.json', ports.storage, log),
    workspaceOf: (cwd: string) => {
      const home = sideCopies.homeOf(cwd);
      return ports.workspace.roots.find((root) => isBelow(home, root)) ?? home;
    },
  };
  return {
    mcp: servers,
    hooks: hookCommands,
    agentCommands,
    skillCommands,
    lmTools,
    forThreads: {
      toolProviders: () => {
        void servers.controller.configured();
        // The first of two tools with one name is kept: those of extensions (by our API, by VS Code's), then those of
        // servers.
        return [
          new ExternalTools(tools, toolApproval),
          new ExternalTools(lmTools.registry, toolApproval, () => lmTools.sync()),
          mcp.tools(() => servers.controller.configured()),
        ];
      },
      hooks: async () => {
        const found = await hooks.current();
        hookCommands.announce(found).catch(report);
        return found;
      },
      agentRoles: () => {
        agentCommands.announce().catch(report);
        return agentFiles.roles();
      },
      skills: async () => {
        const found = await skills.current();
        skillCommands.announce(found).catch(report);
        return skills.used(found);
      },
    },
  };
}

/** The servers of the settings and of the workspace, their list, logs and sign-in. */
function createMcpServers(
  context: vscode.ExtensionContext,
  { node, settings, redactor, report }: Host,
  ports: Ports,
  roots: () => readonly string[],
  store: DisposableStore,
) {
  const mcp = createMcp({
    ports,
    version: TILLER_VERSION,
    roots,
    settings,
    support: sandboxSupport,
    secrets: mcpSecretsIn(context.secrets),
    hide: (secret) => redactor.hide(secret),
  });
  const signIns = store.add(new SignInHandler(context.extension.id));
  store.add(vscode.window.registerUriHandler(signIns));
  const controller: McpController = store.add(
    new McpController({
      ...mcp,
      settings,
      homeDirectory: node.host.homeDirectory,
      environment: node.host.environment,
      memento: context.workspaceState,
      showServers: () => void commands.showServers().catch(report),
      report,
    }),
  );
  const logs = store.add(new McpLogs((text) => redactor.redact(text)));
  const commands = new McpCommands({
    ...mcp,
    controller,
    logs,
    settings,
    host: node.host,
    signIn: async (server, signal) => mcp.signIn(server, await signIns.redirect(), signal),
  });
  return { mcp, servers: mcp.servers, controller, commands };
}
