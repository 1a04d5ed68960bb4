import Gatefold
import NIOCore

/// The bytes of an answer with edition credentials, into which others are written: nothing else is new in what is answered to the
/// same question in the same second.
///
/// It is made of an answer that was given, so that no answer is worded here.
struct CredentialsForm {
    private let bytes: ByteBuffer
    private let userid: Blank
    private let password: Blank

    /// Nil where not both stand in the answer as they are, once each.
    init?(_ answer: ByteBuffer, with credentials: EditionCredentials) {
        guard let userid = Blank(of: credentials.userid, in: answer),
            let password = Blank(of: credentials.password, in: answer)
        else { return nil }
        bytes = ByteBuffer(bytes: answer.readableBytesView)
        (self.userid, self.password) = (userid, password)
    }

    /// The answer with these credentials; nil where they are longer or shorter than the first, which its head's length is of.
    func filled(with credentials: EditionCredentials) -> ByteBuffer? {
        guard userid.fits(credentials.userid), password.fits(credentials.password) else { return nil }
        var answer = bytes
        answer.setString(credentials.userid, at: userid.offset)
        answer.setString(credentials.password, at: password.offset)
        return answer
    }

    /// Where a text stands, in bytes.
    private struct Blank {
        /// From the first byte that can be read, which is the first of a form's bytes.
        let offset: Int
        private let length: Int

        init?(of text: String, in answer: ByteBuffer) {
            let places = answer.readableBytesView.ranges(of: Array(text.utf8))
            guard let place = places.first, places.count == 1, !text.isEmpty else { return nil }
            offset = place.lowerBound - answer.readerIndex
            length = place.count
        }

        func fits(_ text: String) -> Bool { text.utf8.count == length }
    }
}
