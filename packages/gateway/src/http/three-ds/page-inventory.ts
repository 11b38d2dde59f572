import type { InventoryEntry } from '../hosted-field/inventory.ts'

/** A page, and the script that runs in it. */
export interface PageFiles {
  readonly page: InventoryEntry
  readonly script: InventoryEntry
}

function entry(file: string, purpose: string, digest: string): InventoryEntry {
  return { file, purpose, integrity: `sha384-${digest}` }
}

const STEP_UP_SCRIPT = entry(
  'step-up.js',
  "opens the issuer's page once, and takes the customer back to the shop",
  'eAoktKqfTW9KCQn3QjBZsEm8k1jRFlmXqrXSiSPDNnJ+ex3h805xSvLrQnZ4KOwX',
)

/** Everything that browsers get of 3-D Secure, in one piece with its script and the style sheet. */
export const THREE_DS_PAGES = {
  collect: {
    page: entry(
      'collect.html',
      'collects what kind of browser it is, in a hidden frame',
      'aJgpBEpZ8ujh4JRme0VDoz3ti8hUMmzhHZ54vs8kEW06rF3hLWBEQCRvVZTxn989',
    ),
    script: entry(
      'collect.js',
      "sends what it finds, runs the issuer's page, reports to the shop's page",
      'rfbDrN5GRU0yg8deR++MG3RHtGeI0oORlRboKuAAphtiTJ9g6ptBwDz3Ia+sCVfr',
    ),
  },
  methodDone: {
    page: entry(
      'method-done.html',
      "where the issuer's page of the data collection ends",
      'VcJatDBizmTkww6Sbk32TFdYGTCGSzznZAQcFRdHcSw9/qONkbcOu0KNXYTLDqKl',
    ),
    script: entry(
      'method-done.js',
      'reports to the collecting page that the issuer is done',
      'j4VejMpLRb+JsoEMjpChdrrOjzGRi3AEJh40UDcbUVV7W5IUf4TRZu24O3tWqw/J',
    ),
  },
  stepUp: {
    page: entry(
      'step-up.html',
      "holds the frame with the issuer's page of a challenge",
      'DvUozT5N9OHIPRWgCOHUwtmHSfwZqugNFASXOHttrc/J74j+uda0eQuDaJy8f7DF',
    ),
    script: STEP_UP_SCRIPT,
  },
  inProgress: {
    page: entry(
      'in-progress.html',
      'is shown when a challenge is loaded again while it is under way',
      'oMfDliyGwrKQ9Q/G1i4ZhQccGK2R/ovGxHIMxOX7awpdTKmlNEQDkZv4tywn5Elo',
    ),
    script: STEP_UP_SCRIPT,
  },
  back: {
    page: entry(
      'back.html',
      'takes the customer back to the shop',
      '1ZGbt+R9tRTfpF6kvQNvTabhRDvic8KUP0XqjpUSW6yZyuRgKGgeOO/MjtgVqVn2',
    ),
    script: entry(
      'back.js',
      'submits the way back, or has the page around it do so',
      '5BVJA2D47ExQVLf2aG8x5K+Bhf+R5WOqw+lAqHocSY4oAKKJ4Cp9pwSNI3f0swFS',
    ),
  },
  notice: {
    page: entry(
      'notice.html',
      'states what cannot be done',
      '4pUaaeJ/KjmIh6+pwJiL9m7YwIvRkWEtZo2rU4gXRngUDnN8j1WLXdTvtqEagRmj',
    ),
    script: entry(
      'notice.js',
      'reports to the page around it that the customer is stuck',
      'EiUm8HFzxWPmMWmV8VjKY0uF+UJgJysJtNacNZixYLyc4ewApNeE6j58tR4D9Mdn',
    ),
  },
} as const satisfies Readonly<Record<string, PageFiles>>

export const THREE_DS_STYLE = entry(
  'page.css',
  'the look of the pages, in light and dark',
  'PD3L1gUkwH2h/uJQw7vtRtLxNqe0XAdgj7CpxL9af8W4UxT0YfjXHMDCRomvAAZK',
)
