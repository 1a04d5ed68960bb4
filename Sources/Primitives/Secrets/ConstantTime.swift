/// Compares two byte strings in a time that depends only on their lengths.
///
/// All comparisons of secrets use this function. Source: Pitfall 5, “Loose comparison of secrets”.
public func isEqualInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    var others = right.makeIterator()
    for byte in left {
        difference |= byte ^ (others.next() ?? ~byte)
    }
    return difference == 0
}
