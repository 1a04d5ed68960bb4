/// Compares two byte strings in a time that depends only on their lengths.
///
/// All comparisons of secrets use this function. Source: Pitfall 5, “Loose comparison of secrets”.
@inlinable
public func isEqualInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    let isEqual = left.withContiguousStorageIfAvailable { left in
        right.withContiguousStorageIfAvailable { right in
            areEqualInConstantTime(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        }
    }
    if let isEqual = isEqual.flatMap({ $0 }) { return isEqual }
    // The copies of collections in another form make the rest the same for all.
    return Array(left).withUnsafeBytes { left in
        Array(right).withUnsafeBytes { right in areEqualInConstantTime(left, right) }
    }
}

/// Compares two byte strings. It is not generic, because the compiler does not specialise calls from other modules.
@usableFromInline
func areEqualInConstantTime(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count { difference |= left[index] ^ right[index] }
    return difference == 0
}
