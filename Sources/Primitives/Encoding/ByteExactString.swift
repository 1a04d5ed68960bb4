import Foundation

/// A text that is compared by its bytes, for use as a key.
///
/// Two `String` values are equal if they are canonically equivalent (Unicode 15, section 3.7): `é` as one letter or
/// two, the Kelvin sign and `K`. A backend's key and a token are bytes, and different bytes belong to a different
/// person.
package struct ByteExactString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ByteExactString, other: ByteExactString) -> Bool {
        let (one, other) = (one.text.utf8, other.text.utf8)
        guard one.count == other.count else { return false }
        let isSame = one.withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return one.isEmpty }
                // The comparison need not take constant time, because a hash precedes it and clients cannot guess
                // the text step by step.
                return memcmp(start, otherStart, one.count) == 0
            }
        }
        return isSame.flatMap { $0 } ?? one.elementsEqual(other)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
