import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BalancerReport } from './load-balancer-thread.ts'

/** Shares requests among nodes as a usual load balancer does, over connections that it keeps. */
export interface LoadBalancer {
  readonly baseUrl: string
  /** Requests that were sent to another node because the first refused them. */
  readonly retried: number
  /** Why clients got a 502. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

/**
 * Runs in a thread of its own, as a balancer is a program of its own. In the thread of a test it
 * would stall with the test, and send a request on a connection that was closed during the stall.
 */
export async function openLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  const thread = new Worker(new URL('load-balancer-thread.ts', import.meta.url), {
    workerData: urls,
  })
  const faults: string[] = []
  let retried = 0
  const opened = Promise.withResolvers<string>()
  thread.once('error', opened.reject)
  thread.on('message', (report: BalancerReport) => {
    if (report.kind === 'open') opened.resolve(report.baseUrl)
    else if (report.kind === 'retried') retried += 1
    else faults.push(report.fault)
  })
  const baseUrl = await opened.promise
  return {
    baseUrl,
    get retried() {
      return retried
    },
    faults,
    async close() {
      const ended = once(thread, 'exit')
      await thread.terminate()
      await ended
    },
  }
}
