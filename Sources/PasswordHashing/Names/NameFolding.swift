import Foundation

/// A folding of names for comparison, so that `O’Brien-Smith` and `obrien smith` match if the settings permit it.
/// Folding is idempotent, and two names match exactly if their folded forms are equal.
struct NameFolding: Sendable {
    /// The differences that a comparison ignores.
    enum Difference: String, CaseIterable, Sendable {
        case `case`
        case accents
        case spaces
        case apostrophes
        case hyphens
        case punctuation
    }

    private let ignored: Set<Difference>
    /// A Boolean value that indicates whether only letters and digits count.
    private let removesPunctuation: Bool

    init(ignoring ignored: Set<Difference> = Set(Difference.allCases)) {
        self.ignored = ignored
        removesPunctuation = false
    }

    private init(code ignored: Set<Difference>) {
        self.ignored = ignored
        removesPunctuation = true
    }

    /// A folding for postcodes, telephone numbers and customer numbers: only letters and digits count, in any case,
    /// and digits of any script.
    static let code = NameFolding(code: [.case, .accents])

    func fold(_ text: String) -> String {
        var folded = pass(text)
        // A second pass rarely changes anything. The number of passes is bounded, because a test cannot prove this
        // for all of Unicode.
        for _ in 0..<4 {
            let again = pass(folded)
            if again.unicodeScalars.elementsEqual(folded.unicodeScalars) { break }
            folded = again
        }
        return folded
    }

    private func pass(_ text: String) -> String {
        // Unify after the canonical decomposition, which makes canonically equivalent characters equal, and before
        // the compatibility decomposition, which turns some of them into a space with an accent.
        let canonical = text.decomposedStringWithCanonicalMapping
        let unifiedText = String(String.UnicodeScalarView(canonical.unicodeScalars.map(NameLetters.unified)))
        var scalars: [Unicode.Scalar] = []
        for scalar in unifiedText.decomposedStringWithCompatibilityMapping.unicodeScalars {
            let scalar = NameLetters.unified(scalar)
            if retains(scalar) { append(scalar, to: &scalars) }
        }
        let folded = String(String.UnicodeScalarView(scalars)).precomposedStringWithCompatibilityMapping
        return ignored.contains(.spaces) || removesPunctuation ? folded : Self.singleSpaced(folded)
    }

    private func retains(_ scalar: Unicode.Scalar) -> Bool {
        if NameLetters.isInvisible(scalar) { return false }
        if removesPunctuation { return NameLetters.isLetterOrDigit(scalar) }
        switch scalar {
        case "'": return !ignored.contains(.apostrophes)
        case "-": return !ignored.contains(.hyphens)
        default: break
        }
        if NameLetters.isAccent(scalar) { return !ignored.contains(.accents) }
        if scalar.properties.isWhitespace { return !ignored.contains(.spaces) }
        if NameLetters.isPunctuation(scalar) { return !ignored.contains(.punctuation) }
        return true
    }

    private func append(_ scalar: Unicode.Scalar, to scalars: inout [Unicode.Scalar]) {
        if removesPunctuation, let digit = NameLetters.digit(scalar) {
            scalars.append(digit)
            return
        }
        if ignored.contains(.accents), let plain = NameLetters.plain[scalar] {
            for letter in plain.unicodeScalars { appendCased(letter, to: &scalars) }
        } else {
            appendCased(scalar, to: &scalars)
        }
    }

    /// Appends a letter with full case folding through the upper case (where ß becomes SS). The result does not
    /// depend on a locale.
    private func appendCased(_ scalar: Unicode.Scalar, to scalars: inout [Unicode.Scalar]) {
        guard ignored.contains(.case), scalar != "ı" else {
            scalars.append(scalar)
            return
        }
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
            scalars += upper.properties.lowercaseMapping.unicodeScalars
        }
    }

    private static func singleSpaced(_ text: String) -> String {
        text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }
}
