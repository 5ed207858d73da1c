import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { History } from '../history/history.ts';
import type { ModelClient } from '../model/client.ts';
import type { ModelFamily, Verbosity } from '../model/families.ts';
import type { Prices } from '../model/prices.ts';
import type { Processes } from '../exec/processes.ts';
import type { Ports } from '../ports.ts';
import type { DescribedChanges } from '../tools/describeChanges.ts';
import type { Auditor } from '../tools/auditor.ts';
import type { Approver, PermissionDeps } from '../tools/permission.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { TurnChanges } from './threadChanges.ts';
import type { ThreadImages } from './threadImages.ts';
import type { TokenMeter } from './tokenMeter.ts';

/** Everything one turn works with. Made when the turn starts and never changed. */
export interface TurnRun {
  readonly turnId: string;
  readonly threadId: string;
  readonly settings: TurnSettings;
  readonly family: ModelFamily;
  /** `null` where nobody has told them. */
  readonly prices: Prices | null;
  /** The family's own where absent. */
  readonly verbosity: Verbosity | undefined;
  readonly instructions: string;
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined;
  readonly showRawReasoning: boolean;
  /** What must not be read in a box, as the setting says it. */
  readonly unreadable: readonly string[];
  readonly maxToolRounds: number;
  readonly maxAttempts: number;
  readonly client: ModelClient;
  /** The tools of the next round. */
  readonly tools: () => ToolRegistry;
  readonly approver: Approver;
  readonly noteUse: PermissionDeps['noteUse'];
  readonly audit: Auditor;
  readonly history: History;
  readonly tokens: TokenMeter;
  readonly images: ThreadImages;
  readonly processes: Processes;
  /** Records what the commands and patches of this turn change, and tells of each command what it changed. */
  readonly changes: (onChanges: (changes: DescribedChanges) => void) => TurnChanges;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Tells everybody, in the name of this turn. */
  readonly emit: (msg: EventMsg) => void;
  /** See `SessionOptions.pace`. */
  readonly pace: () => Promise<void> | undefined;
  /** Makes sure that the thread can be written; stops the turn when it cannot. */
  readonly ready: () => Promise<void>;
  /** Writes the item down, then adds it to the history. Stops the turn when it cannot be written. */
  readonly remember: (item: ResponseItem) => void;
  /** Forces what was written down to the disk. */
  readonly flush: () => Promise<void>;
  /** Inputs that joined since the last call, oldest first. */
  readonly takeQueued: () => readonly (readonly UserInput[])[];
  /** Stops this turn as the person would. */
  readonly interrupt: () => void;
}
