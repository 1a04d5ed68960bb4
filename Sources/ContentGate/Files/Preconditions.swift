package import HTTPTypes

/// What identifies the bytes of a file or document: a strong entity tag and the second of its last change.
package struct Validators: Equatable {
    /// With its quotation marks.
    package let tag: String
    package let modified: HTTPDate

    package init(tag: String, modified: HTTPDate) {
        self.tag = tag
        self.modified = modified
    }
}

/// A request's conditions, in the order of RFC 9110 section 13.2.2. Asked only after the gate has said yes.
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

    /// Whether a range may be served: there is no `If-Range`, or it names exactly these bytes.
    ///
    /// A date counts only when the file was at rest by then: two changes in one second share it.
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

    /// The tags of all headers of the name; nil when there is none. A tag may hold a comma, so quotation marks divide.
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
