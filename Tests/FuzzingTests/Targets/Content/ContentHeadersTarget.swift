import HTTPTypes

@testable import ContentGate

extension FuzzTarget {
    /// Six lines, one for each header that affects a response with a file.
    static let contentHeaders = FuzzTarget(
        "content-headers", upTo: 512, of: "RangeHeader", "ResumptionRule", "Preconditions", "HTTPDate"
    ) { bytes in
        let lines = lines(bytes, 6)
        for size in [Int64(0), 1, 1000, .max] {
            if case .part(let part) = RangeHeader([lines[0]]).selection(of: size) {
                promise(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "a range is outside the file")
            }
        }
        // A resumption never includes the beginning of the file.
        if ResumptionRule.isResume(.get, [.range: lines[0]]),
            case .part(let part) = RangeHeader([lines[0]]).selection(of: 1000)
        {
            promise(part.lowerBound > 0, "a resumed download begins at the first byte")
        }
        var headers = HTTPFields()
        for (name, value) in zip(names, lines.dropFirst()) where !value.isEmpty {
            headers.append(HTTPField(name: name, value: value))
        }
        let conditions = Preconditions(headers: headers)
        let first = conditions.evaluate(against: validators)
        promise(first == conditions.evaluate(against: validators), "conditions have two outcomes")
        _ = conditions.rangeApplies(to: validators, now: HTTPDate(seconds: 1_793_534_400))
        for line in lines {
            if let date = HTTPDate(line) { promise(date.description == line, "a date does not round-trip") }
        }
    }

    private static let names: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
    ]

    private static let validators = Validators(tag: "\"5f-1\"", modified: HTTPDate(seconds: 1_793_534_300))
}
