import Gatefold
import NIOCore

/// The bytes of a response with edition credentials, used as a template. Within the same second, only the
/// credentials differ between responses to the same request.
///
/// The template is made of a response that was sent, so that no response text is written here.
struct CredentialsTemplate {
    private let bytes: ByteBuffer
    private let userid: ByteSpan
    private let password: ByteSpan

    /// Creates a template; returns nil unless the user id and the password each occur exactly once, unescaped, in
    /// the response.
    init?(_ response: ByteBuffer, with credentials: EditionCredentials) {
        guard let userid = ByteSpan(of: credentials.userid, in: response),
            let password = ByteSpan(of: credentials.password, in: response)
        else { return nil }
        bytes = ByteBuffer(bytes: response.readableBytesView)
        (self.userid, self.password) = (userid, password)
    }

    /// Returns the response with these credentials, or nil if their length differs from that of the first
    /// credentials, because the response head contains the length.
    func filled(with credentials: EditionCredentials) -> ByteBuffer? {
        guard userid.fits(credentials.userid), password.fits(credentials.password) else { return nil }
        var response = bytes
        response.setString(credentials.userid, at: userid.offset)
        response.setString(credentials.password, at: password.offset)
        return response
    }

    /// The position of a text, in bytes.
    private struct ByteSpan {
        /// The offset from the first readable byte, which is the first byte of the template.
        let offset: Int
        private let length: Int

        init?(of text: String, in response: ByteBuffer) {
            let ranges = response.readableBytesView.ranges(of: Array(text.utf8))
            guard let place = ranges.first, ranges.count == 1, !text.isEmpty else { return nil }
            offset = place.lowerBound - response.readerIndex
            length = place.count
        }

        func fits(_ text: String) -> Bool { text.utf8.count == length }
    }
}
