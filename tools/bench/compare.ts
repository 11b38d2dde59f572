import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Baseline } from './baseline.ts'
import { enrolments } from './enrolments.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import type { RequestCost } from './processor-time.ts'
import { checkpoint, socketFolder } from './tpcb.ts'
import { APPROVED, authorizations, ENROLLED, loadGateway } from './workload.ts'
import type { GatewayLoad, Load } from './workload.ts'

/** The same load on two builds, in turn: this checkout, the baseline, the baseline, this one. */
export interface ComparedLevel {
  readonly connections: number
  readonly here: readonly GatewayLoad[]
  readonly baseline: readonly GatewayLoad[]
}

interface Side {
  readonly gateway: MeasuredGateway
  readonly dataDir: string
}

export interface ComparisonTerms {
  readonly workers: number
  readonly seconds: number
  readonly firstWarmUpSeconds: number
  readonly connections: readonly number[]
  /** Whether the payments are with 3-D Secure and no challenge. */
  readonly threeDs: boolean
  /** Called with a sentence on what is measured next. */
  readonly onProgress: (sentence: string) => void
}

/** Measures two builds side by side in one run, so that the machine is the same for both. */
export async function compare(
  baseline: Baseline,
  terms: ComparisonTerms,
): Promise<readonly ComparedLevel[]> {
  const sides: Side[] = []
  try {
    for (const checkout of [THIS_CHECKOUT, baseline.checkout]) {
      terms.onProgress(
        `Starting ${checkout === THIS_CHECKOUT ? 'this build' : baseline.commit} ...`,
      )
      const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
      const { workers } = terms
      const gateway = await startGateway({ checkout, dataDir, workers, profileDir: null })
      sides.push({ gateway, dataDir })
    }
    return await measureSides(sides, baseline, terms)
  } finally {
    for (const { gateway, dataDir } of sides) {
      await gateway.stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }
}

async function measureSides(
  [here, other]: readonly Side[],
  { commit }: Baseline,
  { connections, seconds, firstWarmUpSeconds, threeDs, onProgress }: ComparisonTerms,
): Promise<readonly ComparedLevel[]> {
  if (here === undefined || other === undefined) throw new Error('Two builds are to be measured.')
  const loads = new Map<Side, Pick<Load, 'bodies' | 'what'>>()
  onProgress('Warming up ...')
  for (const side of [here, other]) {
    const { gateway } = side
    const load = threeDs
      ? { what: ENROLLED, bodies: await enrolments(gateway, Math.max(...connections)) }
      : { what: APPROVED, bodies: authorizations() }
    loads.set(side, load)
    await loadGateway(gateway, { ...load, connections: 64, seconds: firstWarmUpSeconds })
  }
  const levels: ComparedLevel[] = []
  for (const open of connections) {
    onProgress(`Measuring at ${open} connections: this build and ${commit}, twice each ...`)
    const measured = new Map<Side, GatewayLoad[]>([
      [here, []],
      [other, []],
    ])
    for (const side of [here, other, other, here]) {
      await checkpoint(socketFolder(side.dataDir))
      const load = loads.get(side)
      if (load === undefined) throw new Error('A build without a load is to be measured.')
      const result = await loadGateway(side.gateway, { ...load, connections: open, seconds })
      measured.get(side)?.push(result)
    }
    levels.push({
      connections: open,
      here: measured.get(here) ?? [],
      baseline: measured.get(other) ?? [],
    })
  }
  return levels
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The mean cost of a request over these loads; null where one of them has none. */
export function meanCost(loads: readonly GatewayLoad[]): RequestCost | null {
  const costs = loads.flatMap(({ cost }) => cost ?? [])
  if (costs.length === 0 || costs.length < loads.length) return null
  return {
    gateway: mean(costs.map(({ gateway }) => gateway)),
    database: mean(costs.map(({ database }) => database)),
    bank: mean(costs.map(({ bank }) => bank)),
    load: mean(costs.map(({ load }) => load)),
  }
}

/** The mean of one figure over these loads. */
export function meanOf(
  loads: readonly GatewayLoad[],
  figure: 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms',
): number {
  return mean(loads.map((load) => load[figure]))
}
