/**
 * The abilities of one model of one server: from the settings, else from the server where it reports them, else from
 * the model's name, else guessed. The one place where the four are merged (docs/decisions/0025).
 */
import type { ReasoningEffort } from '../../protocol/op.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import type { ModelSettings, WireApi } from '../../protocol/providers.ts';
import { withoutUndefined } from '../util/withoutUndefined.ts';
import {
  capabilitiesOf,
  type Dialect,
  familyOf,
  type ModelFamily,
  type ReasoningAbility,
  takesEverything,
  UNKNOWN_FAMILY,
  WIRE_TRAITS,
} from './families.ts';
import { dialectOf, type ProviderConfig } from './providerConfig.ts';

export const ABILITIES = [
  'applyPatch',
  'extraInstructions',
  'shell',
  'reasoning',
  'verbosity',
  'fileTools',
  'userQuestions',
  'parallelToolCalls',
  'images',
  'contextWindow',
  'maxOutput',
] as const satisfies readonly (keyof ModelFamily)[];
export type Ability = (typeof ABILITIES)[number];

/** `name`: known for models with this name; `guess`: accepted by most servers. */
export type AbilitySource = 'settings' | 'server' | 'name' | 'guess';

/** The description of a model as its server reports it. */
export interface ReportedModel {
  readonly id: string;
  /** In tokens: the window of the loaded model where the server reports it, else the model's maximum. */
  readonly contextWindow?: number | undefined;
  readonly images?: boolean | undefined;
  /** In tokens: the longest answer. */
  readonly maxOutput?: number | undefined;
  /** The reasoning that Messages may be asked for; `null`: the model does not reason. */
  readonly reasoning?: ReasoningAbility | null | undefined;
  /** False: it takes no tools, so Tiller could only talk with it. */
  readonly tools?: boolean | undefined;
  /** Local servers: in memory. */
  readonly isLoaded?: boolean | undefined;
}

/** Facts about the server that determine the abilities of a model besides its name. */
export type ServerFacts = Pick<ProviderConfig, 'baseUrl' | 'dialect' | 'family' | 'models' | 'store' | 'toolImages'>;

export interface ModelAbilities {
  readonly family: ModelFamily;
  readonly sources: Readonly<Record<Ability, AbilitySource>>;
  /** True when more than functions may be sent, whatever the tools of this request. */
  readonly everything: boolean;
  /**
   * The name under which the shell tool of the wire is offered as a function; `undefined`: as itself, if it may be
   * sent.
   */
  readonly shellFunction: 'shell' | 'shell_command' | undefined;
  /** The field `store`; `undefined`: not sent. */
  readonly store: boolean | undefined;
  /** Settings of this model without effect, each as a sentence. */
  readonly notes: readonly string[];
}

/** Merges what is known of the model, with the source of each ability. `reported`: by the server. */
export function abilitiesOf(
  server: ServerFacts,
  wireApi: WireApi,
  model: string,
  reported?: ReportedModel,
): ModelAbilities {
  const dialect = dialectOf(server);
  const settings = modelSettingsOf(server, model);
  const likeName = settings?.family ?? (isKnown(model) ? model : (server.family ?? model));
  const everything = takesEverything(likeName, dialect);
  const named = capabilitiesOf(likeName, dialect, wireApi);
  const configured = configuredAbilities(settings, named);
  const byServer = reportedAbilities(reported, isKnown(likeName));
  const byName: AbilitySource = isKnown(likeName) ? 'name' : 'guess';
  const sources = Object.fromEntries(
    ABILITIES.map((ability): [Ability, AbilitySource] => {
      if (configured[ability] !== undefined) return [ability, 'settings'];
      if (byServer[ability] !== undefined) return [ability, 'server'];
      return [ability, byName];
    }),
  ) as Record<Ability, AbilitySource>;
  const shellFunction = shellFunctionOf(settings?.shell);
  const { name, functionsOnly } = WIRE_TRAITS[wireApi];
  const onWire = functionsOnly ? asFunctions(shellFunction) : {};
  return {
    family: { ...named, ...byServer, ...configured, ...onWire },
    sources,
    everything,
    shellFunction,
    store: storeOf(settings?.store ?? server.store, dialect, wireApi),
    notes: functionsOnly ? unusedSettings(model, name, settings) : [],
  };
}

function asFunctions(shellFunction: ModelAbilities['shellFunction']) {
  return { applyPatch: 'function', shell: shellFunction === undefined ? 'exec_command' : 'local_shell' } as const;
}

function shellFunctionOf(shell: ModelSettings['shell']): ModelAbilities['shellFunction'] {
  return shell === 'shell' || shell === 'shell_command' ? shell : undefined;
}

function unusedSettings(model: string, wire: string, { applyPatch, shell }: ModelSettings = {}): readonly string[] {
  const unused = [
    ...(applyPatch === 'freeform' ? ['applyPatch: freeform'] : []),
    ...(shell === 'local_shell' ? ['shell: local_shell'] : []),
  ];
  return unused.map((setting) => `The setting “${setting}” of ${model} has no effect on ${wire}.`);
}

/** Returns what the user has set for the model of this server. */
export function modelSettingsOf({ models }: Pick<ServerFacts, 'models'>, model: string): ModelSettings | undefined {
  return models && ownValue(models, model);
}

/** Deployments and aliases have names that no pattern matches. */
function isKnown(model: string): boolean {
  return familyOf(model).id !== UNKNOWN_FAMILY.id;
}

/** OpenAI must not store anything, whatever the model; Azure requires it. */
function storeOf(chosen: boolean | undefined, dialect: Dialect, wireApi: WireApi): boolean | undefined {
  if (chosen !== undefined || !WIRE_TRAITS[wireApi].stores) return chosen;
  switch (dialect) {
    case 'openai':
      return false;
    case 'azure':
      return true;
    case 'openrouter':
    case 'plain':
      return undefined;
  }
}

type Known = Partial<Pick<ModelFamily, Ability>>;

function configuredAbilities(settings: ModelSettings | undefined, named: ModelFamily): Known {
  if (settings === undefined) return {};
  const { applyPatch, extraInstructions, shell, fileTools, userQuestions, parallelToolCalls, images, contextWindow } =
    settings;
  return withoutUndefined({
    applyPatch,
    extraInstructions,
    shell: shell && (shell === 'exec_command' ? shell : 'local_shell'),
    fileTools,
    userQuestions,
    parallelToolCalls,
    images,
    contextWindow,
    maxOutput: settings.maxOutput,
    reasoning: configuredReasoning(settings.reasoning, named),
    verbosity: settings.verbosity === false ? null : settings.verbosity && { default: settings.verbosity },
  });
}

function configuredReasoning(
  reasoning: ModelSettings['reasoning'],
  named: ModelFamily,
): ReasoningAbility | null | undefined {
  if (reasoning === false) return null;
  if (reasoning === undefined) return undefined;
  const { efforts, defaultEffort = null, summaries, thinking = named.reasoning?.thinking } = reasoning;
  return { efforts, defaultEffort, summaries, thinking };
}

/** The name tells more of how a model reasons than its server does. */
function reportedAbilities(reported: ReportedModel | undefined, isNamed: boolean): Known {
  if (reported === undefined) return {};
  const { contextWindow, images, maxOutput, reasoning } = reported;
  return withoutUndefined({ contextWindow, images, maxOutput, reasoning: isNamed ? undefined : reasoning });
}

export interface OfferedEfforts {
  /** `null` when the model takes none. */
  readonly efforts: readonly ReasoningEffort[] | null;
  /** True when the model is unknown: the server may refuse an effort. */
  readonly areGuessed: boolean;
}

/** The efforts that most servers with reasoning accept. */
const COMMON_EFFORTS: readonly ReasoningEffort[] = ['low', 'medium', 'high'];

/** The efforts to offer to the user. */
export function offeredEfforts(abilities: Pick<ModelAbilities, 'family' | 'sources'> | undefined): OfferedEfforts {
  const reasoning = abilities?.family.reasoning;
  if (!reasoning) return { efforts: null, areGuessed: false };
  return { efforts: reasoning.efforts ?? COMMON_EFFORTS, areGuessed: abilities?.sources.reasoning === 'guess' };
}

/** The settings of the user that this model does not take, each as a sentence. */
export function settingsWithoutEffect(
  model: string,
  { reasoning, verbosity }: Pick<ModelFamily, 'reasoning' | 'verbosity'>,
  chosen: { readonly effort: string | null; readonly verbosity: string | null; readonly summary: string },
): readonly string[] {
  const result: string[] = [];
  const { effort, summary } = chosen;
  if (effort !== null && reasoning === null) {
    result.push(`The reasoning effort has no effect: ${model} takes none.`);
  } else if (effort !== null && reasoning?.efforts && !reasoning.efforts.some((known) => known === effort)) {
    const taken = reasoning.efforts.join(', ');
    result.push(`The reasoning effort “${effort}” has no effect: ${model} takes ${taken}.`);
  }
  if ((summary === 'concise' || summary === 'detailed') && !reasoning?.summaries) {
    result.push(`The setting reasoning.summary has no effect: ${model} sends no summaries here.`);
  }
  if (chosen.verbosity !== null && verbosity === null) {
    result.push(`The setting verbosity has no effect: ${model} takes none here.`);
  }
  return result;
}
