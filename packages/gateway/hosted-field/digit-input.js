'use strict'

/**
 * The digits of what was typed or pasted; those of other scripts count as well.
 *
 * @param {string} text
 * @returns {string}
 */
function digitsIn(text) {
  return text.normalize('NFKC').replace(/[^0-9]/g, '')
}

/**
 * Where the caret belongs so that it stands behind so many digits.
 *
 * @param {string} text
 * @param {number} count
 * @returns {number}
 */
function caretBehind(text, count) {
  let seen = 0
  for (let index = 0; index < text.length; index += 1) {
    if (seen === count) return index
    if (/\d/.test(text[index] ?? '')) seen += 1
  }
  return text.length
}

/**
 * Keeps an input to digits, written as `format` says, and the caret where the person left it.
 *
 * @param {HTMLInputElement} input
 * @param {object} rules
 * @param {(text: string) => string} rules.read The digits of what was typed, pasted or filled in.
 * @param {() => number} rules.maxLength
 * @param {(digits: string) => string} rules.format
 * @param {() => void} rules.changed
 */
function keepToDigits(input, { read, maxLength, format, changed }) {
  let before = ''
  input.addEventListener('input', (event) => {
    const caret = input.selectionStart ?? input.value.length
    const isDeletion = event instanceof InputEvent && event.inputType.startsWith('delete')
    // While digits are deleted, none is added.
    const readNow = isDeletion ? digitsIn : read
    let digits = readNow(input.value)
    let behind = readNow(input.value.slice(0, caret)).length
    // Deleting the separator between two groups means the digit beside it.
    if (digits === before && isDeletion) {
      if (event.inputType === 'deleteContentBackward' && behind > 0) {
        digits = digits.slice(0, behind - 1) + digits.slice(behind)
        behind -= 1
      } else if (event.inputType === 'deleteContentForward') {
        digits = digits.slice(0, behind) + digits.slice(behind + 1)
      }
    }
    digits = digits.slice(0, maxLength())
    before = digits
    input.value = format(digits)
    if (document.activeElement === input) {
      const isAtEnd = behind >= digits.length
      const position = isAtEnd ? input.value.length : caretBehind(input.value, behind)
      input.setSelectionRange(position, position)
    }
    changed()
  })
}
