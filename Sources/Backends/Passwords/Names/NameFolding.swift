import Foundation

/// Folds a name to the form in which it is compared, so that `O’Brien-Smith` and `obrien smith` are one where the settings
/// say so. Folding twice gives what folding once gives, and two names are the same exactly when their folded forms are.
struct NameFolding: Sendable {
    /// What is passed over in comparing.
    enum Difference: String, CaseIterable, Sendable {
        case `case`
        case accents
        case spaces
        case apostrophes
        case hyphens
        case punctuation
    }

    private let ignored: Set<Difference>
    /// Whether letters and digits are all that counts.
    private let isCode: Bool

    init(ignoring ignored: Set<Difference> = Set(Difference.allCases)) {
        self.ignored = ignored
        isCode = false
    }

    private init(code ignored: Set<Difference>) {
        self.ignored = ignored
        isCode = true
    }

    /// For postcodes, telephone and customer numbers: nothing but letters and digits counts, in whatever case and script
    /// the digits are.
    static let code = NameFolding(code: [.case, .accents])

    func fold(_ text: String) -> String {
        var folded = pass(text)
        // One pass hardly ever leaves anything to a second; a bound, because a test can not prove that for all of Unicode.
        for _ in 0..<4 {
            let again = pass(folded)
            if again.unicodeScalars.elementsEqual(folded.unicodeScalars) { break }
            folded = again
        }
        return folded
    }

    private func pass(_ text: String) -> String {
        // Before compatibility, which turns some of them into a space with an accent; after what is canonically the same has
        // become the same.
        let canonical = text.decomposedStringWithCanonicalMapping
        let marked = String(String.UnicodeScalarView(canonical.unicodeScalars.map(NameLetters.unified)))
        var scalars: [Unicode.Scalar] = []
        for scalar in marked.decomposedStringWithCompatibilityMapping.unicodeScalars {
            let scalar = NameLetters.unified(scalar)
            if keeps(scalar) { append(scalar, to: &scalars) }
        }
        let folded = String(String.UnicodeScalarView(scalars)).precomposedStringWithCompatibilityMapping
        return ignored.contains(.spaces) || isCode ? folded : Self.singleSpaced(folded)
    }

    private func keeps(_ scalar: Unicode.Scalar) -> Bool {
        if NameLetters.isInvisible(scalar) { return false }
        if isCode { return NameLetters.isLetterOrDigit(scalar) }
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
        if isCode, let digit = NameLetters.digit(scalar) {
            scalars.append(digit)
            return
        }
        if ignored.contains(.accents), let plain = NameLetters.plain[scalar] {
            for letter in plain.unicodeScalars { appendCased(letter, to: &scalars) }
        } else {
            appendCased(scalar, to: &scalars)
        }
    }

    /// Full case folding by way of the upper case (ß is SS there); nothing depends on a locale.
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
