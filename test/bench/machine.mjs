// The machine of a run, in words.
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { root } from '../../scripts/bootstrap.mjs';

/** Types of file systems as statfs(2) returns them. */
const FILE_SYSTEMS = {
  0xef53: 'ext4',
  0x9123683e: 'btrfs',
  0x58465342: 'xfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlay',
};

export function describeMachine() {
  const [processor] = cpus();
  const disk = statfsSync(tmpdir()).type;
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes'),
    processor: processor?.model.trim() ?? 'unknown',
    cpus: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    disk: FILE_SYSTEMS[disk] ?? `file system 0x${disk.toString(16)}`,
    node: process.version,
  };
}

export function machineLine({ processor, cpus: cores, memoryGiB, system, disk, node, date, commit }) {
  return `${date}, commit ${commit}: ${cores} × ${processor}, ${memoryGiB} GiB, ${system}, ${disk}, Node ${node}`;
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
