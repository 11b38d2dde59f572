import { consoleHealth as table } from '@tollgate/portal-contract/routes/console'
import type { HealthReader } from '../usecases/health.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

/** The route of the health page. */
export function healthRoutes(reader: HealthReader): readonly ConsoleRoute[] {
  return [
    implementConsole(table.read, {
      async handle() {
        const [waiting, merchants, links] = await Promise.all([
          reader.readWaiting(),
          reader.readMerchants(),
          reader.readLinks(),
        ])
        const [certificates, dataKeySince, nodes, schema] = await Promise.all([
          reader.readCertificates(),
          reader.readDataKey(),
          reader.readNodes(),
          reader.readSchema(),
        ])
        return {
          waiting,
          merchants,
          links: links.map(({ name, mode, states }) => ({
            name,
            mode,
            states: states.map(({ worker, state, address, lastError }) => ({
              worker,
              state,
              address,
              lastError,
            })),
          })),
          certificates,
          dataKeySince,
          nodes,
          schema,
        }
      },
    }),
  ]
}
