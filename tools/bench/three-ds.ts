import { meanCost, meanOf } from './compare.ts'
import { enrolments } from './enrolments.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import type { ThreeDsLevel } from './report.ts'
import { threeDsLines } from './report.ts'
import { APPROVED, authorizations, ENROLLED, loadGateway, type GatewayLoad } from './workload.ts'
import type { Load } from './workload.ts'

const CONNECTIONS = 16
const WARM_UP_SECONDS = 10

/**
 * Payments with 3-D Secure and no challenge, and plain ones: plain, enrolled, enrolled, plain. Both
 * kinds so meet the same machine. The simulator shares it.
 */
export async function measureThreeDs(
  gateway: MeasuredGateway,
  seconds: number,
  onProgress: (sentence: string) => void,
): Promise<ThreeDsLevel> {
  const plain = { what: APPROVED, bodies: authorizations() }
  const enrolled = { what: ENROLLED, bodies: await enrolments(gateway, CONNECTIONS) }
  onProgress(`Measuring payments with 3-D Secure at ${CONNECTIONS} connections, in turn ...`)
  const measured = new Map<Pick<Load, 'bodies' | 'what'>, GatewayLoad[]>([
    [plain, []],
    [enrolled, []],
  ])
  for (const load of [plain, enrolled, enrolled, plain]) {
    const result = await loadGateway(gateway, { ...load, connections: CONNECTIONS, seconds })
    measured.get(load)?.push(result)
  }
  const [without, with3ds] = [meanLoad(measured.get(plain)), meanLoad(measured.get(enrolled))]
  const ratioToPlain = with3ds.perSecond / without.perSecond
  return { connections: CONNECTIONS, ...with3ds, plain: without, ratioToPlain }
}

function meanLoad(loads: readonly GatewayLoad[] = []): ThreeDsLevel['plain'] {
  return {
    perSecond: meanOf(loads, 'perSecond'),
    p50Ms: meanOf(loads, 'p50Ms'),
    p95Ms: meanOf(loads, 'p95Ms'),
    cost: meanCost(loads),
  }
}

/** Starts a gateway, measures payments with 3-D Secure and plain ones, and prints both. */
export async function runThreeDs(
  dataDir: string,
  workers: number,
  { seconds, profileDir }: { readonly seconds: number; readonly profileDir: string | null },
  onProgress: (sentence: string) => void,
): Promise<void> {
  onProgress(`Starting the gateway with ${workers} workers ...`)
  const gateway = await startGateway({ checkout: THIS_CHECKOUT, dataDir, workers, profileDir })
  try {
    onProgress('Warming up ...')
    const bodies = await enrolments(gateway, CONNECTIONS)
    const load = { what: ENROLLED, bodies, connections: CONNECTIONS, seconds: WARM_UP_SECONDS }
    await loadGateway(gateway, load)
    const level = await measureThreeDs(gateway, seconds, onProgress)
    process.stdout.write(`\n${threeDsLines(level)}\n`)
  } finally {
    await gateway.stop()
  }
}
