/** The page's nonce, which its own styles carry. */
export const styleNonce =
  document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''

// Dialogues put a style of their own into the page, and look for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce })
