import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Where browsers find the bundled bank's page for challenges, from what the bank wrote down when it
 * started; null when it runs none.
 */
export async function simulatedBankPage(dataDir: string): Promise<string | null> {
  try {
    const text = await readFile(join(dataDir, 'bank', 'three-ds', 'addresses.json'), 'utf8')
    const { acsUrl } = JSON.parse(text) as { readonly acsUrl: string }
    return new URL('/', acsUrl).href
  } catch {
    return null // It is only announced: the gateway looks for it by itself, and says what is wrong.
  }
}
