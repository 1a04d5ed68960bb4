/// A JSON Pointer (RFC 6901): empty for the whole value, or with `/` before every step.
package struct JSONPointer: Sendable, Equatable {
    private let steps: [String]

    /// Parses a pointer, or returns nil if the text is malformed.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/"), text.wholeMatch(of: /(?:[^~]|~[01])*/) != nil else { return nil }
        steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// Returns the value at the pointer, or nil if there is none.
    package func value(in json: JSONValue) -> JSONValue? {
        steps.reduce(json as JSONValue?) { value, step in
            switch value {
            case .object: value?[step]
            // Section 4: no sign and no leading zero.
            case .array: step.wholeMatch(of: /0|[1-9][0-9]*/) == nil ? nil : Int(step).flatMap { value?[$0] }
            default: nil
            }
        }
    }
}
