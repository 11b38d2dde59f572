/** A file that is served to browsers. */
export interface InventoryEntry {
  readonly file: string
  /** Why it has to be there. */
  readonly purpose: string
  /** The hash of the file's bytes, as browsers check it. */
  readonly integrity: string
}

/** Everything that runs in the page which takes a card, in the order in which it is loaded. */
export const PAGE_SCRIPTS: readonly InventoryEntry[] = [
  {
    file: 'card-brands.js',
    purpose: 'maps leading digits to card brands',
    integrity: 'sha384-xA60hcxW1OZDmNomL6KGmnTV59dFaeeD96K6quoW/z1K9mcJJ2p1s83+hk/NIyH2',
  },
  {
    file: 'card-rules.js',
    purpose: 'determines brand, length, check digit and grouping of a number; reads expiry dates',
    integrity: 'sha384-VID9AmG2QfUdf7xO5OT3FxTJLSXJmnzHUGy9FVYuhaI76DXDPBy4As+usCDaU0T6',
  },
  {
    file: 'digit-input.js',
    purpose: 'restricts the fields to digits during typing',
    integrity: 'sha384-E3DINmdxD5PlXANy9UIxDsri8968nlFKuL5f7LLMzEW+KWIc12SkW+74sDRcoIRZ',
  },
  {
    file: 'shop-messages.js',
    purpose: 'reads messages from the page of the shop and rejects invalid ones',
    integrity: 'sha384-RLci8h5drIiQvyppaKBO6NUAE3rSATM5SQ4AMKyJJc190sb4aNe9ddYvhQK1imKe',
  },
  {
    file: 'field-style.js',
    purpose: 'applies the style options of the shop',
    integrity: 'sha384-TuFGSw9hh1l0xXpefsLzxiVghZrFkw6DSt+ROHTCbOjS3moA9nYBU4wszPbpmLgW',
  },
  {
    file: 'token-request.js',
    purpose: 'sends number and code to the token service',
    integrity: 'sha384-DLZAeLrHEnXeMEhl5VTTWJs8IewK58FH2Xgjq7AGZzym5kONf7xYH5i5366UFna7',
  },
  {
    file: 'card-form.js',
    purpose: 'the fields, their messages and their state',
    integrity: 'sha384-dEGCdPNolQd/gH7JN9lLhpFlFGIu6o/r403gyYoTFtJP+qyuENNCVOzsACekII83',
  },
  {
    file: 'field-page.js',
    purpose: 'exchanges messages with the page of the shop',
    integrity: 'sha384-NHHt03c7JgPwQ3dIRD4GkfyboAvgDsw9HUtpgQ2Coj3lgrS1L7WURd7KkAB034Y7',
  },
]

/** The pages themselves, before site, origins and addresses are put into them. */
export const PAGES = {
  card: {
    file: 'field.html',
    purpose: 'the page with the fields',
    integrity: 'sha384-MgFNZUvCb05wWf3jv3AQ3xW37E+iLaqq06odvdXI1L6JkPohilAC0rD3zs9/I+PY',
  },
  noCard: {
    file: 'no-card.html',
    purpose: 'shown where no card can be entered',
    integrity: 'sha384-6+OOSvz4Dy09p24QNZ5AP7r8SEI06sxRFBN0IPYVq2gmkWpFcC/sJnfV5Tq45hTt',
  },
} as const satisfies Readonly<Record<string, InventoryEntry>>

/** How the pages look. */
export const PAGE_STYLE: InventoryEntry = {
  file: 'field-page.css',
  purpose: 'the style of the page, light and dark',
  integrity: 'sha384-sOoeWabit3OLPQR0EZeL1ahUMTb2prvXi6JYuGg75llB/S5c2TgImofsxLRjBTRU',
}

/** The scripts that run in the pages of shops, by the version that the pages name. */
export const SHOP_SCRIPTS: ReadonlyMap<string, InventoryEntry> = new Map([
  [
    '1',
    {
      file: 'fields.js',
      purpose: 'adds the frame to the page of a shop and exchanges messages with it',
      integrity: 'sha384-P8HflbOCGscD6lg/6DfPwj6PcVucHLbpVKQlXZCk53DyA5YGe3d6/bLJJRKuLYpP',
    },
  ],
  [
    '2',
    {
      file: 'fields-2.js',
      purpose: 'the same, and asks for the expiry date in the frame',
      integrity: 'sha384-fvjWAHXet/nJzirGOSiti5U1qT68gM9FRA1WrtF/Acq2XeF4pnYmpHmbowHcnwaj',
    },
  ],
])

/**
 * The version for pages that name none. They ask for the expiry date themselves, so it stays: their
 * customers would have to enter it twice.
 */
export const VERSION_OF_UNVERSIONED_PAGES = '1'
