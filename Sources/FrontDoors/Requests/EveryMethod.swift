import HTTPTypes

extension HTTPRequest.Method {
    /// The methods of RFC 9110 and RFC 5789. A call responds to those that it does not support, too.
    static let every: [HTTPRequest.Method] = [.get, .head, .post, .options, .put, .delete, .patch, .trace, .connect]
}
