import { join } from 'node:path'
import pg from 'pg'
import { loadDataKeys } from '../../packages/gateway/src/adapters/vault/data-keys.ts'
import { createLocalKeyWrapper } from '../../packages/gateway/src/adapters/vault/key-wrapper.ts'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import { findEmbeddedDatabase } from '../../packages/tollgate/src/embedded-postgres.ts'
import type { Mark } from './marks.ts'
import type { Place } from './place.ts'
import type { Evidence, ProgramRun } from './program-run.ts'
import type { Scanner } from './scanner.ts'

/** The keys of a run: the key-encrypting key in its file, and the data keys as only a gateway has them. */
export async function readKeyMarks({ dataDir }: ProgramRun): Promise<Mark[]> {
  const loaded = loadConfig({ DATA_DIR: dataDir })
  if (!loaded.ok || loaded.config.vaultKey === null) throw new Error('The run has no vault key.')
  const vaultKey = Buffer.from(loaded.config.vaultKey.reveal(), 'base64')
  const pool = new pg.Pool({
    connectionString: findEmbeddedDatabase(join(dataDir, 'postgres')) ?? '',
    max: 1,
  })
  try {
    const { pan, fingerprint } = await loadDataKeys(pool, createLocalKeyWrapper(vaultKey))
    return [
      { kind: 'bytes', name: 'the vault key', bytes: vaultKey },
      ...[...pan, fingerprint].map(({ key, id }) => ({
        kind: 'bytes' as const,
        name: `data key ${id}`,
        bytes: key,
      })),
    ]
  } finally {
    await pool.end()
  }
}

export function vaultKeyFile(dataDir: string): string {
  return join(dataDir, 'keys', 'vault.key')
}

/** The one thing that belongs where it is found: the key of the sandbox, in its own file. */
function isAllowed(evidence: Evidence, mark: string, run: ProgramRun): boolean {
  return mark === 'the vault key' && evidence.name === vaultKeyFile(run.dataDir)
}

/** What was found in the places that can be searched now, a sentence each, and how much was looked at. */
export async function search(
  run: ProgramRun,
  scanner: Scanner,
  places: readonly Place[],
): Promise<{ readonly leaks: string[]; readonly bytes: ReadonlyMap<string, number> }> {
  const leaks: string[] = []
  const bytes = new Map<string, number>()
  for (const place of places) {
    for await (const evidence of place.collect(run)) {
      bytes.set(place.name, (bytes.get(place.name) ?? 0) + evidence.bytes.length)
      for (const { mark, writing, offset } of scanner.scan(evidence.bytes)) {
        if (isAllowed(evidence, mark, run)) continue
        const around = evidence.bytes.subarray(Math.max(0, offset - 80), offset + 80)
        leaks.push(
          `${place.name}: ${mark}, ${writing}, in ${evidence.name} at ${offset}: ` +
            JSON.stringify(around.toString('latin1')),
        )
      }
    }
  }
  return { leaks, bytes }
}
