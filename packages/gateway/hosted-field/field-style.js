'use strict'

/** The variables of field-page.css that stand for what a shop may choose. */
const STYLE_VARIABLES = /** @type {Readonly<Record<string, string>>} */ ({
  textColor: '--text',
  labelColor: '--label',
  backgroundColor: '--field',
  borderColor: '--border',
  focusColor: '--focus',
  errorColor: '--error',
  fontSize: '--font-size',
  radius: '--radius',
})

/**
 * Gives the page the look that a shop chose, and the usual one where it chose nothing.
 *
 * @param {HTMLElement} root
 * @param {Readonly<Record<string, string | number>>} style As `STYLES` allows it.
 */
function applyStyle(root, style) {
  root.dataset['theme'] = String(style['theme'] ?? 'light')
  root.dataset['font'] = String(style['font'] ?? 'system')
  for (const [name, variable] of Object.entries(STYLE_VARIABLES)) {
    const value = style[name]
    if (value === undefined) root.style.removeProperty(variable)
    else root.style.setProperty(variable, typeof value === 'number' ? `${value}px` : value)
  }
}
