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
    purpose: 'determines brand, length, check digit and grouping of a number',
    integrity: 'sha384-sJf/ExPO9uxXELOxPP3PzsBWzg4cDohwM7VCwXZ4WQDpROZPRUpUYbRtfE62PrKM',
  },
  {
    file: 'digit-input.js',
    purpose: 'restricts the fields to digits during typing',
    integrity: 'sha384-MQlW6R/rkYk8SoahaWwhrEeLtwtfDTa046IZZFcRIjX9vHNDlDof3f2vIrmM5Luc',
  },
  {
    file: 'shop-messages.js',
    purpose: 'reads messages from the page of the shop and rejects invalid ones',
    integrity: 'sha384-F03o4sjTLOJuRUlISU6QGNd54tFfYT8DGCg8LWmOZA2F10kt1E3WsIJFfHUsh0ha',
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
    purpose: 'the two fields, their messages and their state',
    integrity: 'sha384-43jYk3AOFaQFHJnWunYyv7PbO+vbQ/nXqWuXUb1rW1DjemCJgGmpvhBY/ca8BrzM',
  },
  {
    file: 'field-page.js',
    purpose: 'exchanges messages with the page of the shop',
    integrity: 'sha384-jA2x5zE6DO6J2Ht7me3CpzQcWtWqirf0h0xyDSkqjFGKBVNb8RtUFv7hh+2yVxsr',
  },
]

/** The pages themselves, before site, origins and addresses are put into them. */
export const PAGES = {
  card: {
    file: 'field.html',
    purpose: 'the page with the two fields',
    integrity: 'sha384-nLaGRJRtqBaMAipupfUq+zjXgU8EVqH3p7TFWScih0sFhi+ntOE0lsGVhzIvz+S4',
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
  integrity: 'sha384-31YQ1BMxaq0WfX5Pf/xTQlL3KDsoc9qzmczA5pCWU5HYpVLuyiQGRGK0e6B8OnHz',
}

/** The scripts that run in the pages of shops, by the version that the pages name, newest last. */
export const SHOP_SCRIPTS: ReadonlyMap<string, InventoryEntry> = new Map([
  [
    '1',
    {
      file: 'fields.js',
      purpose: 'adds the frame to the page of a shop and exchanges messages with it',
      integrity: 'sha384-P8HflbOCGscD6lg/6DfPwj6PcVucHLbpVKQlXZCk53DyA5YGe3d6/bLJJRKuLYpP',
    },
  ],
])
