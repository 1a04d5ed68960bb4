import HTTPTypes

extension HTTPField.Name {
    /// Creates a name from a literal in Gatefold's own source.
    init(literal: StaticString) {
        guard let name = HTTPField.Name(literal.description) else {
            preconditionFailure("\(literal) is not a header name")
        }
        self = name
    }

    static let pragma = HTTPField.Name(literal: "Pragma")
    static let originalURI = HTTPField.Name(literal: "X-Original-URI")
    static let originalMethod = HTTPField.Name(literal: "X-Original-Method")
    static let forwardedURI = HTTPField.Name(literal: "X-Forwarded-Uri")
    static let forwardedMethod = HTTPField.Name(literal: "X-Forwarded-Method")
    static let gatefoldPath = HTTPField.Name(literal: "X-Gatefold-Path")
    static let gatefoldEdition = HTTPField.Name(literal: "X-Gatefold-Edition")
    static let gatefoldResumption = HTTPField.Name(literal: "X-Gatefold-Resumption")
    static let gatefoldSubscriber = HTTPField.Name(literal: "X-Gatefold-Subscriber")
}
