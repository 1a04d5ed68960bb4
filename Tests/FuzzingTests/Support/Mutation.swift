import TestSupport

extension SeededRandom {
    /// Returns one of the inputs with a few mutations or with a part of another input.
    mutating func mutated(_ inputs: [[UInt8]], upTo maxLength: Int) -> [UInt8] {
        var bytes = inputs.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            let end = min(bytes.count, place + Int.random(in: 1...8, using: &self))
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes.insert(.random(in: .min ... .max, using: &self), at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: if place < bytes.count { bytes[place] = .random(in: .min ... .max, using: &self) }
            case 4: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self) }
            default:
                let other = inputs.randomElement(using: &self) ?? []
                let begin = Int.random(in: 0...other.count, using: &self)
                bytes.replaceSubrange(place..<end, with: other[begin..<min(other.count, begin + 12)])
            }
        }
        return Array(bytes.prefix(maxLength))
    }
}
