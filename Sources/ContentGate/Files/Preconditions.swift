package import HTTPTypes

/// The identity of the bytes of a file or document: a strong entity tag and the second of the last change.
package struct Validators: Equatable {
    /// The entity tag with its quotation marks.
    package let tag: String
    package let modified: HTTPDate

    package init(tag: String, modified: HTTPDate) {
        self.tag = tag
        self.modified = modified
    }
}

/// The conditions of a request, in the order of RFC 9110 section 13.2.2. Evaluate them only after the gate allows
/// the request.
package struct Preconditions {
    package enum Outcome: Equatable {
        case proceed
        case notModified
        case failed
    }

    let headers: HTTPFields

    package init(headers: HTTPFields) {
        self.headers = headers
    }

    package func evaluate(against validators: Validators) -> Outcome {
        if let tags = tags(.ifMatch) {
            guard tags.contains("*") || tags.contains(validators.tag) else { return .failed }
        } else if let date = date(.ifUnmodifiedSince), validators.modified > date {
            return .failed
        }
        if let tags = tags(.ifNoneMatch) {
            return tags.contains { $0 == "*" || Self.opaque($0) == validators.tag } ? .notModified : .proceed
        }
        if let date = date(.ifModifiedSince), validators.modified <= date { return .notModified }
        return .proceed
    }

    /// Returns whether a range may be served: there is no `If-Range`, or it names exactly these bytes.
    ///
    /// A date counts only if the file had been unchanged for two seconds, because two changes within one second
    /// share a date.
    func rangeApplies(to validators: Validators, now: HTTPDate) -> Bool {
        let values = headers[values: .ifRange]
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        if value == validators.tag { return true }
        return HTTPDate(value) == validators.modified && validators.modified.seconds + 2 <= now.seconds
    }

    private func date(_ name: HTTPField.Name) -> HTTPDate? {
        let values = headers[values: name]
        return values.count == 1 ? HTTPDate(values[0]) : nil
    }

    /// Returns the tags of all headers of the name, or `nil` if there is no header. A tag may contain a comma, so
    /// quotation marks delimit tags.
    private func tags(_ name: HTTPField.Name) -> [String]? {
        let values = headers[values: name]
        guard !values.isEmpty else { return nil }
        var tags: [String] = []
        var tag = ""
        var isQuoted = false
        for character in values.joined(separator: ",") {
            if character == "\"" { isQuoted.toggle() }
            if isQuoted || !", \t".contains(character) {
                tag.append(character)
            } else if character == ",", !tag.isEmpty {
                tags.append(tag)
                tag = ""
            }
        }
        return tag.isEmpty ? tags : tags + [tag]
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
