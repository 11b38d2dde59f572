import { join } from 'node:path'
import type { Place } from './place.ts'
import type { Evidence, ProgramRun } from './program-run.ts'
import type { Scanner } from './scanner.ts'

function vaultKeyFile(dataDir: string): string {
  return join(dataDir, 'keys', 'vault.key')
}

/** The one thing that belongs where it is found: the key of the sandbox, in its own file. */
function isAllowed(evidence: Evidence, mark: string, run: ProgramRun): boolean {
  return mark === 'the vault key' && evidence.name === vaultKeyFile(run.dataDir)
}

/** The finds in the places that can be searched now, a sentence each, and how much was searched. */
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
