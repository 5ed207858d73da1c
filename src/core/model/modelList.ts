/**
 * The models of a server and what it reports about them. Every compatible server has `GET /models`; local ones tell the
 * context window of a loaded model elsewhere, on the same origin:
 *
 * - Ollama `/api/ps`: `models[].context_length` (docs.ollama.com/api/ps)
 * - LM Studio `/api/v0/models`: `loaded_context_length`, `max_context_length`, `type: vlm` for models that take images
 *   (lmstudio.ai/docs/developer/rest/endpoints; github.com/zed-industries/zed/pull/25606)
 * - llama.cpp `/props`: `default_generation_settings.n_ctx`, `modalities.vision` (tools/server/README.md); it has one model
 * - Anthropic `max_input_tokens`, `max_tokens` and `capabilities`, in pages of at most 1000
 *   (platform.claude.com/docs/en/api/models/list)
 * - vLLM `max_model_len` and OpenRouter `context_length`, `architecture.input_modalities`: in `/models` itself
 */
import * as z from 'zod';
import { deadline } from '../util/abort.ts';
import { append } from '../util/append.ts';
import { messageOf } from '../util/fileErrors.ts';
import { parseJson } from '../util/json.ts';
import { SecretRedactor } from '../util/secretRedactor.ts';
import { withoutUndefined } from '../util/withoutUndefined.ts';
import type { ReportedModel } from './abilities.ts';
import { readBeginning } from './boundedBody.ts';
import { ModelFault } from './client.ts';
import { pageFault, malformedFault } from './faults.ts';
import { shownFault } from './faultOf.ts';
import { isPage } from './serverErrors.ts';
import { createTransport, type ModelPorts } from './provider.ts';
import type { ProviderConfig } from './providerConfig.ts';
import type { Transport } from './transport.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

export type ModelListing =
  | { readonly type: 'models'; readonly models: readonly ReportedModel[] }
  | { readonly type: 'fault'; readonly fault: ModelFault };

const LIST_BYTES = 8 * 1024 * 1024;
/** Maximum time for the list; a server that loads a model answers late. */
const LIST_WITHIN_MS = 10_000;

/** Asks the server for its models, in alphabetical order. @throws the signal's reason when `signal` aborts */
export async function listModels(
  provider: ProviderConfig,
  ports: Omit<ModelPorts, 'ids' | 'log' | 'refused'>,
  signal: AbortSignal,
): Promise<ModelListing> {
  const sent = new SecretRedactor();
  const transport = createTransport(provider, ports, sent);
  const within = deadline(ports.clock, LIST_WITHIN_MS, new Error('no answer within 10 s'), signal);
  try {
    const models = await readPages(provider, transport, within.signal);
    const reported = await reportedElsewhere(models, provider, transport, within.signal).catch(() => new Map());
    const merged = models.map(({ owner: _owner, ...model }) => ({ ...model, ...reported.get(model.id) }));
    return { type: 'models', models: merged.toSorted((left, right) => left.id.localeCompare(right.id)) };
  } catch (error) {
    signal.throwIfAborted();
    const fault =
      error instanceof ModelFault && !within.signal.aborted ? error : timeoutFault(within.signal.reason ?? error);
    return { type: 'fault', fault: shownFault(fault, sent) };
  } finally {
    within.end();
  }
}

function timeoutFault(error: unknown): ModelFault {
  return new ModelFault('timeout', 'The server did not answer in time.', {
    retryable: true,
    detail: messageOf(error),
    action: 'retry',
  });
}

/** @throws ModelFault */
async function getJson(transport: Transport, path: string, signal: AbortSignal): Promise<unknown> {
  const response = await transport.get(path, signal);
  const { text } = await readBeginning(response.body, LIST_BYTES, signal);
  signal.throwIfAborted();
  const document = parseJson(text);
  if (document === undefined) throw isPage(text) ? pageFault(text) : malformedFault(text);
  return document;
}

/** More pages than any server has. */
const MOST_PAGES = 20;

/** All pages of the list, which only Messages servers have. @throws ModelFault */
async function readPages(
  { wireApi }: ProviderConfig,
  transport: Transport,
  signal: AbortSignal,
): Promise<readonly Listed[]> {
  const path = wireApi === 'messages' ? '/models?limit=1000' : '/models';
  const models: Listed[] = [];
  let after = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const document = await getJson(transport, `${path}${after}`, signal);
    append(models, readList(document));
    const next = wireApi === 'messages' ? pageSchema.safeParse(document).data : undefined;
    if (!next?.has_more) break;
    after = `&after_id=${encodeURIComponent(next.last_id)}`;
  }
  return models;
}

const pageSchema = lazyObject(() => ({ has_more: z.boolean(), last_id: z.string().min(1) }));

const positive = z.number().int().positive().nullish().catch(undefined);
const words = z.array(z.string()).nullish().catch(undefined);
const support = z.object({ supported: z.boolean() }).nullish().catch(undefined);

const listedSchema = lazyObject(() => ({
  id: z.string().min(1),
  owned_by: z.string().nullish().catch(undefined),
  /** vLLM. */
  max_model_len: positive,
  /** OpenRouter; others, too. */
  context_length: positive,
  architecture: z.object({ input_modalities: words }).nullish().catch(undefined),
  supported_parameters: words,
  /** llama.cpp: the context window of the training. */
  meta: z.object({ n_ctx_train: positive }).nullish().catch(undefined),
  /** Anthropic. */
  max_input_tokens: positive,
  max_tokens: positive,
  capabilities: z
    .object({
      image_input: support,
      effort: z
        .object({ low: support, medium: support, high: support, xhigh: support, max: support })
        .nullish()
        .catch(undefined),
      thinking: z
        .object({
          supported: z.boolean(),
          types: z.object({ adaptive: support, enabled: support }).nullish().catch(undefined),
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
}));

const listSchema = lazyObject(() => ({ data: z.array(z.unknown()) }));

type Listed = ReportedModel & { readonly owner: string | undefined };

/** @throws ModelFault when it is no list of models */
function readList(document: unknown): readonly Listed[] {
  const list = listSchema.safeParse(document);
  if (!list.success) throw malformedFault(JSON.stringify(document) ?? '');
  return list.data.data.flatMap((entry) => {
    const { data } = listedSchema.safeParse(entry);
    if (!data) return [];
    const modalities = data.architecture?.input_modalities;
    const parameters = data.supported_parameters;
    return [
      withoutUndefined<Listed>({
        id: data.id,
        owner: data.owned_by ?? undefined,
        contextWindow:
          data.max_model_len ?? data.context_length ?? data.meta?.n_ctx_train ?? data.max_input_tokens ?? undefined,
        images: modalities ? modalities.includes('image') : data.capabilities?.image_input?.supported,
        maxOutput: data.max_tokens ?? undefined,
        reasoning: data.capabilities ? reasoningIn(data.capabilities) : undefined,
        tools: parameters ? parameters.includes('tools') : undefined,
      }),
    ];
  });
}

type Capabilities = NonNullable<z.infer<typeof listedSchema>['capabilities']>;

/** `undefined`: it says nothing of reasoning. */
function reasoningIn({ thinking, effort }: Capabilities): ReportedModel['reasoning'] {
  if (!thinking) return undefined;
  if (!thinking.supported) return null;
  const isAdaptive = thinking.types?.adaptive?.supported === true;
  const efforts = isAdaptive ? EFFORTS.filter((name) => effort?.[name]?.supported) : BUDGET_EFFORTS;
  return { defaultEffort: null, efforts, summaries: false, thinking: isAdaptive ? 'adaptive' : 'budget' };
}

const BUDGET_EFFORTS = ['low', 'medium', 'high', 'xhigh'] as const;
const EFFORTS = [...BUDGET_EFFORTS, 'max'] as const;

const ollamaSchema = lazyObject(() => ({ models: z.array(z.object({ name: z.string(), context_length: positive })) }));
const lmStudioSchema = lazyObject(() => ({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string().nullish().catch(undefined),
      state: z.string().nullish().catch(undefined),
      max_context_length: positive,
      loaded_context_length: positive,
      capabilities: words,
    }),
  ),
}));
const llamaSchema = lazyObject(() => ({
  default_generation_settings: z.object({ n_ctx: positive }).nullish().catch(undefined),
  modalities: z.object({ vision: z.boolean().nullish() }).nullish().catch(undefined),
}));

type Told = ReadonlyMap<string, Omit<ReportedModel, 'id'>>;

/** Details from the proprietary routes of local servers, which the owner field of their list identifies. */
async function reportedElsewhere(
  models: readonly Listed[],
  { baseUrl }: ProviderConfig,
  transport: Transport,
  signal: AbortSignal,
): Promise<Told> {
  const get = (path: string) => getJson(transport, new URL(path, baseUrl).href, signal);
  switch (models[0]?.owner) {
    case 'library': {
      const { models: loaded } = ollamaSchema.parse(await get('/api/ps'));
      return new Map(
        loaded.map(({ name, context_length }) => [
          name,
          withoutUndefined({ contextWindow: context_length ?? undefined, isLoaded: true }),
        ]),
      );
    }
    case 'organization_owner': {
      const { data } = lmStudioSchema.parse(await get('/api/v0/models'));
      return new Map(
        data.map(({ id, type, state, max_context_length, loaded_context_length, capabilities }) => [
          id,
          withoutUndefined({
            contextWindow: loaded_context_length ?? max_context_length ?? undefined,
            images: type ? type === 'vlm' : undefined,
            tools: capabilities ? capabilities.includes('tool_use') : undefined,
            isLoaded: state ? state === 'loaded' : undefined,
          }),
        ]),
      );
    }
    case 'llamacpp': {
      const { default_generation_settings: settings, modalities } = llamaSchema.parse(await get('/props'));
      const reported = withoutUndefined({
        contextWindow: settings?.n_ctx ?? undefined,
        images: modalities?.vision ?? undefined,
        isLoaded: true,
      });
      return new Map(models.length === 1 ? models.map(({ id }) => [id, reported]) : []);
    }
    default:
      return new Map();
  }
}
