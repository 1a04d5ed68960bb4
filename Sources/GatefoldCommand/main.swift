print("gatefold")
