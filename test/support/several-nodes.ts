import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { startGatewayNode, type GatewayNode } from './gateway-node.ts'
import { openLoadBalancer } from './load-balancer.ts'

/** Nodes on one database behind a load balancer, which sends each request to the next worker. */
export interface SeveralNodes {
  /** The balancer's. */
  readonly baseUrl: string
  readonly workers: readonly GatewayNode[]
  /** Ends the balancer, with its probes of the workers' health. */
  stopBalancer(): Promise<void>
  stop(): Promise<void>
}

export const WORKERS_OF_A_NODE = 2

/**
 * Starts nodes of two workers, of which the first does the jobs. Each worker is a process with an
 * address of its own, so that the balancer reaches every one of them in turn.
 * @param settings of another node on the same database, bank and keys
 * @param clocksAheadMs of the machine of each node, in their sequence; right where absent
 */
export async function startSeveralNodes(
  settings: Readonly<Record<string, string>>,
  nodes: number,
  clocksAheadMs: readonly number[] = [],
): Promise<SeveralNodes> {
  const workers: GatewayNode[] = []
  const stopWorkers = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  try {
    const ports = await freePorts(nodes * WORKERS_OF_A_NODE * 2)
    const started = Array.from({ length: nodes * WORKERS_OF_A_NODE }, async (_, at) => {
      const own = {
        PORT: String(ports[2 * at]),
        TLS_PORT: String(ports[2 * at + 1]),
        TOLLGATE_RUN_JOBS: at % WORKERS_OF_A_NODE === 0 ? '1' : '0',
      }
      const aheadMs = clocksAheadMs[Math.floor(at / WORKERS_OF_A_NODE)]
      const worker = await startGatewayNode({ ...settings, ...own }, undefined, aheadMs)
      workers.push(worker)
    })
    // One that starts after another has failed is stopped with the rest.
    const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    const balancer = await openLoadBalancer(workers.map(({ baseUrl }) => baseUrl))
    let closed: Promise<void> | null = null
    const close = (): Promise<void> => (closed ??= balancer.close())
    return {
      baseUrl: balancer.baseUrl,
      workers,
      stopBalancer: close,
      async stop() {
        await close()
        await stopWorkers()
      },
    }
  } catch (error) {
    await stopWorkers()
    throw error
  }
}
