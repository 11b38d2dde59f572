import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { Secret } from '../../base/secret.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type { Mode } from '../../usecases/merchants/merchant-directory.ts'
import type { ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import { createDirectoryClient } from './directory-client.ts'
import type { Reached } from './exchange.ts'

export interface Directories {
  all(): readonly Reached[]
  /** The one that is asked about cards of a brand, of accounts of the mode. */
  find(mode: Mode, brand: CardBrand | null): Reached | null
  /** Looks whether the simulator is there, and whether its addresses or certificates changed. */
  look(): Promise<void>
  close(): void
}

const SIMULATOR_SUBJECTS = ['SIM Directory Server client']

/**
 * The Directory Servers of this process: for live accounts those that the operator named, for test
 * accounts the simulator beside the bundled bank. The simulator's files are in `simulatorFolder`;
 * null if it is off.
 */
export function createDirectories(
  live: readonly ThreeDsDirectory[],
  simulatorFolder: string | null,
): Directories {
  const reach = (directory: ThreeDsDirectory): Reached => ({
    directory,
    client: createDirectoryClient(directory),
  })
  const named = live.map(reach)
  let simulator: Reached | null = null
  let simulatorFiles = ''
  return {
    all: () => (simulator === null ? named : [simulator, ...named]),
    find(mode, brand) {
      if (mode === 'test') return simulator
      return (
        named.find(({ directory: { brands, simulated } }) => {
          if (simulated) return false
          return brands === null || (brand !== null && brands.includes(brand))
        }) ?? null
      )
    },
    async look() {
      if (simulatorFolder === null) return
      const found = await readSimulator(simulatorFolder)
      // A bank that is away comes back; until then its requests fail, and are reported as failed.
      if (found === null || found.files === simulatorFiles) return
      simulator?.client.close()
      simulatorFiles = found.files
      simulator = reach(found.directory)
    },
    close() {
      for (const { client } of [...named, ...(simulator === null ? [] : [simulator])])
        client.close()
    },
  }
}

/** Null where it is not, or is just being written. */
async function readSimulator(
  folder: string,
): Promise<{ readonly directory: ThreeDsDirectory; readonly files: string } | null> {
  try {
    const names = ['addresses.json', 'ca.pem', 'gateway-client.pem', 'gateway-client.key']
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const [addresses = '', ca = '', cert = '', key = ''] = texts
    createSecureContext({ ca, cert, key })
    const { dsUrl, acsUrl, methodUrl } = JSON.parse(addresses) as Record<string, string>
    if (dsUrl === undefined || acsUrl === undefined || methodUrl === undefined) return null
    const hosts = [...new Set([new URL(acsUrl).host, new URL(methodUrl).host])]
    return {
      files: texts.join('\n'),
      directory: {
        name: `simulator ${dsUrl} ${methodUrl}`,
        mode: 'test',
        brands: null,
        url: dsUrl,
        ca,
        cert,
        key: new Secret(key),
        refNumber: 'SIM_3DSS_0001',
        operatorId: null,
        resultSubjects: SIMULATOR_SUBJECTS,
        versions: { from: '2.1.0', to: '2.2.0' },
        browserHosts: hosts,
        simulated: true,
      },
    }
  } catch {
    return null
  }
}
