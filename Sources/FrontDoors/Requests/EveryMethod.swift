import HTTPTypes

extension HTTPRequest.Method {
    /// Every method of RFC 9110 and RFC 5789: those that a call does not have are told so.
    static let every: [HTTPRequest.Method] = [.get, .head, .post, .options, .put, .delete, .patch, .trace, .connect]
}
