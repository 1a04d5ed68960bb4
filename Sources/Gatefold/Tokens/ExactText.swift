import Foundation

/// A text as a key, compared by its bytes.
///
/// Two `String`s are equal when they are canonically the same text (Unicode 15, section 3.7): `é` in one letter or two, the
/// Kelvin sign and `K`. A backend's key and a token are bytes, and who has others is somebody else.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: ExactText, other: ExactText) -> Bool {
        let (one, other) = (one.text.utf8, other.text.utf8)
        guard one.count == other.count else { return false }
        let isSame = one.withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return one.isEmpty }
                // What is looked up is no secret that is guessed: a hash leads to it.
                return memcmp(start, otherStart, one.count) == 0
            }
        }
        return isSame.flatMap { $0 } ?? one.elementsEqual(other)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
