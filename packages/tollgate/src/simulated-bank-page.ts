import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The address of the bundled bank's challenge page, from the file that the bank writes at its
 * start; null if it has none.
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
